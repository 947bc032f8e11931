# frozen_string_literal: true

require "socket"

module Trunkline
  module Bench
    module Caches
      # The least that a client in Ruby can do: one socket, the classic protocol, and reads by a buffer of its own.
      # Subclasses say how they read and write in time.
      class HandWritten
        CHUNK = 65_536
        private_constant :CHUNK

        def initialize(address, timeout)
          host, port = address.split(":")
          @timeout = timeout
          @socket = ::Socket.tcp(host, port.to_i)
          @socket.setsockopt(:TCP, :NODELAY, true)
          @buffer = String.new(capacity: CHUNK)
        end

        def set(key, value)
          write("set #{key} 0 0 #{value.bytesize}\r\n#{value}\r\n")
          line == "STORED"
        end

        def get(key)
          write("get #{key}\r\n")
          found = nil
          each_value { |_, value| found = value }
          found
        end

        def delete(key)
          write("delete #{key}\r\n")
          line == "DELETED"
        end

        def get_multi(keys)
          write("get #{keys.join(" ")}\r\n")
          found = {}
          each_value { |key, value| found[key] = value }
          found
        end

        private

        def each_value
          while (header = line) != "END"
            _, key, _, size = header.split
            yield key, take(size.to_i + 2).chomp("\r\n")
          end
        end

        def line
          fill until (at = @buffer.index("\r\n"))
          take(at + 2).chomp("\r\n")
        end

        def take(count)
          fill until @buffer.bytesize >= count
          @buffer.slice!(0, count)
        end

        def fill = @buffer << read(CHUNK)
      end

      # The kernel ends reads and writes that take too long, by SO_RCVTIMEO and SO_SNDTIMEO. Ruby's own reads would go on
      # waiting, so they are system calls.
      class SocketOptions < HandWritten
        def initialize(address, timeout)
          super
          return unless timeout

          time = [timeout.to_i, ((timeout % 1) * 1_000_000).to_i].pack("l!l!")
          @socket.setsockopt(:SOCKET, :RCVTIMEO, time)
          @socket.setsockopt(:SOCKET, :SNDTIMEO, time)
        end

        private

        def read(count) = @socket.sysread(count)
        def write(bytes) = @socket.syswrite(bytes)
      end

      # Reads what is there, and waits for a readable socket where nothing is.
      class NonBlocking < HandWritten
        private

        def read(count)
          while (bytes = @socket.read_nonblock(count, exception: false)) == :wait_readable
            @socket.wait_readable(@timeout) or raise "no answer in time"
          end
          bytes
        end

        def write(bytes)
          until bytes.empty?
            written = @socket.write_nonblock(bytes, exception: false)
            if written == :wait_writable
              @socket.wait_writable(@timeout) or raise "no room in time"
            else
              bytes = bytes.byteslice(written..)
            end
          end
        end
      end
    end
  end
end
