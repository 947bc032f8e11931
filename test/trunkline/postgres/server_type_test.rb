# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    class ServerTypeTest < TestCase
      include BackendMessages

      # What target_session_attrs may ask for.
      WANTED = %w[any read-write read-only primary standby].freeze
      private_constant :WANTED

      # A handshake that is done, in which the server reported these.
      def startup(parameters, after: "")
        Startup.new(user: "ann", dbname: "app", password: -> {}).tap do |startup|
          reports = parameters.map { |name, value| parameter(name, value) }.join
          startup.receive(authentication(0) + reports + ready + after)
        end
      end

      def type(wanted, after: "", **parameters) = ServerType.new(wanted, startup(parameters, after: after))

      def suits(**parameters)
        WANTED.reject { |wanted| type(wanted, **parameters).tap { |type| assert_nil type.query }.mismatch }
      end

      def test_what_a_server_reports
        assert_equal %w[any read-write primary], suits(in_hot_standby: "off", default_transaction_read_only: "off")
        assert_equal %w[any read-only primary], suits(in_hot_standby: "off", default_transaction_read_only: "on")
        assert_equal %w[any read-only standby], suits(in_hot_standby: "on", default_transaction_read_only: "off")
      end

      def test_what_must_be_queried
        assert_nil type("any").query
        assert_equal message("Q", "SHOW transaction_read_only\0"), type("read-write").query
        assert_equal message("Q", "SHOW transaction_read_only\0"), type("read-only", in_hot_standby: "off").query
        assert_equal message("Q", "SELECT pg_catalog.pg_is_in_recovery()\0"), type("standby").query
      end

      def test_answers
        { "read-write" => %w[off on], "read-only" => %w[on off], "primary" => %w[f t], "standby" => %w[t f] }.each do |wanted, (good, bad)|
          assert_nil asked(wanted, answer(good)).mismatch
          assert_includes asked(wanted, answer(bad)).mismatch, "target_session_attrs requires #{wanted}"
        end
      end

      def test_an_answer_in_pieces_with_something_behind_it
        type = type("primary", after: parameter("a", "b").byteslice(0, 3))
        type.query
        (parameter("a", "b").byteslice(3..) + answer("f")).each_char do |byte|
          refute_predicate type, :answered?
          type.receive(byte)
        end

        assert_predicate type, :answered?
        type.receive("next")
        assert_equal "next", type.leftover
      end

      def test_a_server_that_does_not_answer
        error = assert_raises(UnsuitableServer) { asked("primary", error("C" => "42883", "M" => "no such function") + ready) }

        assert_equal "it does not report whether it matches target_session_attrs: no such function", error.message
        assert_equal "it is not a standby, and target_session_attrs requires standby", asked("standby", ready).mismatch
      end

      def test_nonsense
        assert_raises(ProtocolError) { asked("primary", "HTTP/1.1 400 Bad Request\r\n") }
        assert_raises(ProtocolError) { asked("primary", ["D", -1].pack("aN")) }
      end

      private

      def asked(wanted, bytes)
        type(wanted).tap do |type|
          type.query
          type.receive(bytes)
        end
      end

      def answer(text)
        message("T", [0].pack("n")) + message("D", [1, text.bytesize, text].pack("nNa*")) + message("C", "SHOW\0") + ready
      end
    end
  end
end
