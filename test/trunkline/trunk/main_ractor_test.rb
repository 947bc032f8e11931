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
      told { Ractor.make_shareable(CLIENT) }
      told { Ractor.new { CLIENT.query("SELECT 1") }.take }
    RUBY
    private_constant :PROGRAM

    def test_each_way_to_reach_for_one
      output, = run_program(PROGRAM)
      names, messages = output.lines(chomp: true).each_slice(2).to_a.transpose
      assert_equal ["Trunkline::Error"] * 2 + ["TypeError"] * 3 + ["Ractor::Error", "Ractor::IsolationError"], names
      messages.first(4).each { |message| assert_match(/main Ractor only/, message) }
    end

    def test_copies
      clients = [Trunkline.postgres("postgres:///app"), Trunkline.memcached("127.0.0.1:1")]
      clients.product(%i[dup clone]) { |client, verb| assert_raises(TypeError) { client.public_send(verb) } }
    end
  end
end
