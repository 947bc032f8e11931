# frozen_string_literal: true

require "test_helper"
require "support/children"

module Trunkline
  # What another Ractor is told when it reaches for a client. In a program of its own: Ruby warns of Ractors.
  class MainRactorTest < TestCase
    include Children

    PROGRAM = <<~RUBY
      Warning[:experimental] = false
      Thread.report_on_exception = false
      CLIENT = Trunkline.postgres("postgres://user@127.0.0.1:1/none")
      def told
        yield
      rescue Ractor::RemoteError => error
        puts error.cause.class, error.cause.message
      rescue StandardError => error
        puts error.class, error.message
      end
      told { Ractor.new { Trunkline.postgres("postgres:///app") }.take }
      told { Ractor.new { Trunkline.memcached("127.0.0.1:1") }.take }
      told { Ractor.new(CLIENT) { |client| client.query("SELECT 1") }.take }
      told { Ractor.new { Ractor.receive }.send(CLIENT, move: true) }
      told { Ractor.new { Ractor.receive }.send(Trunkline.memcached("127.0.0.1:1"), move: true) }
      told { Ractor.make_shareable(Trunkline.memcached("127.0.0.1:1")) }
      told { Ractor.make_shareable(CLIENT) }
      told { Ractor.new { CLIENT.query("SELECT 1") }.take }
    RUBY
    private_constant :PROGRAM

    def test_each_way_to_reach_for_one
      output, = run_program(PROGRAM)
      names, messages = output.lines(chomp: true).each_slice(2).to_a.transpose
      assert_equal ["Trunkline::Error"] * 2 + ["TypeError"] * 3 + ["Ractor::Error"] * 2 + ["Ractor::IsolationError"], names
      messages.first(5).each { |message| assert_match(/main Ractor only/, message) }
    end

    PARTS = <<~RUBY
      Warning[:experimental] = false
      client = Trunkline.postgres(ARGV.fetch(0))
      ractor = Ractor.new { Ractor.receive }
      refused = ->(part) { ractor.send(part, move: true) rescue puts($!.class, $!.message) }
      refused[client]
      client.session { |session| refused[session]; puts session.value("SELECT 1") }
      client.transaction { |transaction| refused[transaction]; puts transaction.value("SELECT 2") }
      client.listen("news").then { |subscription| refused[subscription]; subscription.close }
      client.query("SELECT 3").tap(&refused).then { |result| puts result.value }
      client.disconnect
      puts client.value("SELECT 4")
    RUBY
    private_constant :PARTS

    # What was to be moved is as it was.
    def test_moving_what_belongs_to_a_client
      output, = run_program(PARTS, postgres_server.uri)
      refusals, answers = output.lines(chomp: true).partition { |line| line.match?(/\A\D/) }
      assert_equal %w[1 2 3 4], answers
      assert_equal ["TypeError"], refusals.each_slice(2).map(&:first).uniq
      assert_equal 5, refusals.grep(/main Ractor only, and neither it nor its results leave it: send the other Ractors rows or values/).size, output
    end

    def test_copies
      clients = [Trunkline.postgres("postgres:///app"), Trunkline.memcached("127.0.0.1:1")]
      clients.product(%i[dup clone]) { |client, verb| assert_raises(TypeError) { client.public_send(verb) } }
    end
  end
end
