# frozen_string_literal: true

require "async"
require "trunkline"

module Soak
  # What the kinds of load work with: clients of one server, and callers.
  class Load
    # @return [String] of the PostgreSQL server
    attr_reader :uri

    # @return [String] of the memcached server
    attr_reader :memcached

    def initialize(uri, memcached)
      @uri = uri
      @memcached = memcached
      @number = 0
    end

    # @return [Trunkline::Postgres::Client]
    def client(**options) = Trunkline.postgres(uri, **options)

    # @return [Integer] another one each time
    def number = @number += 1

    # Runs the block so many times, side by side in threads.
    #
    # @yieldparam caller [Integer]
    # @yieldparam turn [Integer]
    def threads(count, callers = 6)
      callers = [callers, count].min
      Array.new(callers) { |caller| Thread.new { (count / callers).times { |turn| yield caller, turn } } }.each(&:join)
    end

    # The same in fibers.
    def fibers(count, callers = 20)
      callers = [callers, count].min
      Sync { |task| Array.new(callers) { |caller| task.async { (count / callers).times { |turn| yield caller, turn } } }.each(&:wait) }
    end

    # Runs the block, in which errors of these classes are part of the load.
    def failing(*errors)
      yield
    rescue *errors
      nil
    end

    # @raise [RuntimeError] an answer was not the right one
    def same(expected, answer)
      raise "#{answer.inspect} instead of #{expected.inspect}" unless answer == expected
    end
  end

  KINDS = {}

  # @param name [Symbol]
  # @yieldparam load [Load]
  # @yieldreturn [Proc] does so many operations
  def self.kind(name, &block) = KINDS[name] = block

  Dir[File.join(__dir__, "kinds", "*.rb")].each { |file| require file }
  KINDS.freeze
end
