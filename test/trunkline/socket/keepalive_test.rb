# frozen_string_literal: true

require "test_helper"

# Which of the options a system has, and what they are called there.
class KeepaliveTest < Trunkline::TestCase
  Keepalive = Trunkline::Socket::Keepalive
  BSD = Module.new.tap { |constants| { TCP_KEEPIDLE: 256, TCP_KEEPINTVL: 512, TCP_KEEPCNT: 1024 }.each { |name, number| constants.const_set(name, number) } }
  MACOS = Module.new.tap { |constants| { TCP_KEEPINTVL: 0x101, TCP_KEEPCNT: 0x102 }.each { |name, number| constants.const_set(name, number) } }
  private_constant :Keepalive, :BSD, :MACOS

  def test_this_system
    Socket.tcp_server_sockets("127.0.0.1", 0) do |servers|
      TCPSocket.open("127.0.0.1", servers.first.local_address.ip_port) do |socket|
        Keepalive.new(idle: 7).apply(socket)
        assert socket.getsockopt(:SOCKET, :KEEPALIVE).bool
        assert_equal 7, socket.getsockopt(Socket::IPPROTO_TCP, Keepalive.numbers.fetch(:TCP_KEEPIDLE)).int
      end
    end
  end

  def test_what_a_system_does_not_have_is_left_out
    assert_equal({ TCP_KEEPIDLE: 256, TCP_KEEPINTVL: 512, TCP_KEEPCNT: 1024 }, Keepalive.numbers(BSD, "freebsd14.1"))
  end

  def test_macos_has_another_name_for_the_time_before_the_first_probe
    assert_equal({ TCP_KEEPIDLE: 0x10, TCP_KEEPINTVL: 0x101, TCP_KEEPCNT: 0x102 }, Keepalive.numbers(MACOS, "darwin23"))
  end
end
