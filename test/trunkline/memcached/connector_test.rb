# frozen_string_literal: true

require "test_helper"
require "support/open_sockets"
require "support/scripted_memcached"

module Trunkline
  module Memcached
    # What answers at the other end.
    class ConnectorTest < TestCase
      include OpenSockets

      { "HTTP/1.1 400 Bad Request\r\n" => /this is no memcached server: "HTTP\/1\.1 400 Bad Request"/,
        "VERSION 1.4.39\r\n" => /memcached 1\.4\.39 is too old: it must be 1\.6\.10 or newer/,
        "VERSION 1.6.9\r\n" => /memcached 1\.6\.9 is too old/,
        "ERROR Too many open connections\r\n" => /no memcached server: "ERROR Too many open connections"/,
        "x" * 5000 => /this is no memcached server: "x+"/ }.each do |answer, message|
        define_method("test_#{answer[0, 12].gsub(/\W/, "_")}") do
          ScriptedMemcached.open(->(*) {}, version: answer) do |server|
            assert_no_socket_left do
              error = assert_raises(ConnectionError) { connect(server) }
              assert_match message, error.message
              assert_equal [false, true, server.address], [error.sent?, error.retriable?, error.server]
            end
          end
        end
      end

      def test_a_newer_version
        ScriptedMemcached.open(->(*) {}, version: "VERSION 1.10.0\r\n") do |server|
          connector = connect(server)
          connector.close
          assert_equal [1, 10, 0], connector.version
        end
      end

      private

      def connect(server) = Memcached.const_get(:Connector).connect(Address.parse(server.address), 20)

    end
  end
end
