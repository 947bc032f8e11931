# frozen_string_literal: true

require "json"
require "rspec/core"

# Writes down how each example has ended, in a line of JSON each: so what has run is known of a process that does not come to its end.
class SpecJournal
  RSpec::Core::Formatters.register self, :example_started, :example_passed, :example_failed, :example_pending, :stop

  def initialize(_output)
    @file = File.open(ENV.fetch("JOURNAL"), "a").tap { |file| file.sync = true }
  end

  def example_started(notification) = write(begins: name_of(notification.example))
  def example_passed(notification) = write(ends: name_of(notification.example), as: ".", assertions: 1)
  def example_pending(notification) = write(ends: name_of(notification.example), as: "S", assertions: 0)

  def example_failed(notification)
    write(ends: name_of(notification.example), as: "F", assertions: 1, message: notification.example.exception.message)
  end

  def stop(_notification) = write(over: true, left_out: LeftOut.met.uniq)

  # Leaves out the examples whose names are the lines of LEFT_OUT.
  module LeftOut
    NAMES = ENV.fetch("LEFT_OUT", "").split("\n")
    private_constant :NAMES
    @met = []

    class << self
      # @return [Array<String>] those that would have run
      attr_reader :met

      # @param example [Hash] of an example, as RSpec describes it
      # @return [Boolean]
      def include?(example) = NAMES.include?(name = SpecJournal.name_of(example)) && !met.push(name).nil?
    end
  end
  private_constant :LeftOut

  # @param example [Hash] of an example, as RSpec describes it
  # @return [String] "file#what it says"
  def self.name_of(example) = "#{File.basename(example[:file_path], ".rb")}##{example[:full_description]}"

  RSpec.configure { |config| config.filter_run_excluding(full_description: ->(_, example) { LeftOut.include?(example) }) }

  private

  def name_of(example) = self.class.name_of(example.metadata)

  def write(entry) = @file.puts(JSON.generate(entry.transform_values { |value| value.is_a?(String) ? value.dup.force_encoding("UTF-8").scrub : value }))
end
