# frozen_string_literal: true

require "test_helper"
require "support/open_sockets"
require "tmpdir"

module Trunkline
  module Socket
    class UnixTest < TestCase
      include OpenSockets

      def setup
        @folder = Dir.mktmpdir
        @path = "#{@folder}/.s.PGSQL.5432"
      end

      def teardown = FileUtils.remove_entry(@folder)

      def test_a_connection
        UNIXServer.open(@path) do
          socket = Unix.connect(@path, Readiness.deadline(5))

          assert_equal :wait_readable, socket.read_nonblock(1, exception: false)
        ensure
          socket&.close
        end
      end

      if RUBY_PLATFORM.include?("linux")
        def test_the_abstract_namespace
          UNIXServer.open("\0#{@path}") do
            socket = Unix.connect("@#{@path}", Readiness.deadline(5))
            assert_kind_of ::Socket, socket
          ensure
            socket&.close
          end
        end
      end

      def test_no_socket_there
        assert_refused "cannot connect to #{@path}: there is no such socket (is a server running on this machine, with that " \
                       "directory and port?) (server #{@path})", @path
      end

      def test_a_socket_without_a_listener
        UNIXServer.open(@path).close

        assert_refused "cannot connect to #{@path}: connection refused (the socket is there, is the server still running?) " \
                       "(server #{@path})", @path
      end

      def test_something_else_in_its_place
        assert_refused "cannot connect to #{@folder}/x/y: not a directory (server #{@folder}/x/y)", "#{@folder}/x/y" do
          File.write("#{@folder}/x", "")
        end
      end

      def test_a_path_that_fits_in_no_address
        path = "/#{"x" * 200}"

        assert_refused "cannot connect to #{path}: the path is too long for a Unix socket (server #{path})", path
      end

      def test_a_full_queue_is_waited_for
        full_server do |listener|
          connecting = Thread.new { Unix.connect(@path, Readiness.deadline(5)) }
          Thread.pass until connecting.stop?
          listener.accept.close

          assert_kind_of ::Socket, connecting.value
        ensure
          connecting.value.close
        end
      end

      def test_a_queue_that_stays_full
        full_server { assert_refused "cannot connect to #{@path}: timed out (server #{@path})", @path }
      end

      private

      def assert_refused(message, path)
        yield if block_given?
        assert_no_socket_left do
          error = assert_raises(ConnectionError) { Unix.connect(path, Readiness.deadline(0.05)) }
          assert_equal message, error.message
        end
      end

      def full_server
        UNIXServer.open(@path) do |listener|
          listener.listen(0)
          waiting = UNIXSocket.new(@path)
          yield listener
        ensure
          waiting.close
        end
      end
    end
  end
end
