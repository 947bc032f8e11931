# frozen_string_literal: true

require "test_helper"
require "support/gate_proxy"

# The proxy, seen from both ends: a client's socket here, and a server of one socket that the test plays itself.
class GateProxyTest < Minitest::Test
  Server = Struct.new(:socket_directory, :port)

  STARTUP = [8, 196_608].pack("NN")
  SYNC = "S#{[4].pack("N")}".b
  READY = "Z#{[5].pack("N")}I".b

  # Whose clock goes on whenever it is looked at, and only then.
  class Hurried < GateProxy
    TICK = 0.001

    private

    def now = @now = (@now || 0) + TICK
  end

  def setup
    @folder = Dir.mktmpdir
    @listener = UNIXServer.new(File.join(@folder, ".s.PGSQL.1"))
    @proxy = GateProxy.new(Server.new(@folder, 1), tcp: tcp?)
    @client = connect
    @server = @listener.accept
  end

  def teardown
    @proxy.close
    [@client, @server, @listener].each(&:close)
    FileUtils.rm_rf(@folder)
  end

  def tcp?
    false
  end

  def test_forwards_both_ways
    @client << STARTUP << SYNC
    assert_equal STARTUP + SYNC, @server.read((STARTUP + SYNC).bytesize)
    @server << READY
    assert_equal READY, @client.readpartial(100)
  end

  def test_forwards_more_than_the_sockets_hold
    bytes = Random.new(1).bytes(3_000_000)
    writer = Thread.new { @server.write(bytes) }
    assert_equal bytes, @client.read(bytes.bytesize)
    writer.join
  end

  def test_counts_bytes_and_messages
    @client << STARTUP << SYNC << SYNC
    @proxy.await_messages(:requests, "S", 2)
    @server << READY
    @proxy.await { |policies| policies[:answers].bytes == READY.bytesize }
    assert_equal({ :startup => 1, "S" => 2 }, @proxy.messages(:requests))
    assert_equal({ "Z" => 1 }, @proxy.messages(:answers))
    assert_equal STARTUP.bytesize + (2 * SYNC.bytesize), @proxy.bytes(:requests)
  end

  def test_counts_messages_that_come_in_pieces
    (STARTUP + SYNC).each_char { |byte| @client << byte }
    @proxy.await_messages(:requests, "S", 1)
    assert_equal 1, @proxy.messages(:requests)[:startup]
  end

  def test_holds_and_releases_all
    @proxy.hold(:answers)
    @server << "abc"
    @proxy.await { |policies| policies[:answers].arrived == 3 }
    assert_nothing_comes
    @proxy.release(:answers)
    assert_equal "abc", @client.readpartial(100)
  end

  def test_releases_bytes
    @proxy.hold(:answers)
    @server << "abcdef"
    @proxy.release(:answers, bytes: 2)
    assert_equal "ab", @client.read(2)
    assert_nothing_comes
  end

  def test_releases_units_that_have_come_and_that_have_not
    @proxy.hold(:answers)
    @server << READY
    @proxy.await_messages(:answers, "Z", 1)
    @proxy.release(:answers, units: 2)
    assert_equal READY, @client.read(READY.bytesize)
    @server << READY << READY
    assert_equal READY, @client.read(READY.bytesize)
    @proxy.await_messages(:answers, "Z", 3)
    assert_nothing_comes
  end

  def test_releases_all_though_units_are_still_to_come
    @proxy.hold(:answers)
    @proxy.release(:answers, units: 2)
    @proxy.release(:answers)
    3.times { @server << READY }
    assert_equal READY * 3, @client.read(READY.bytesize * 3)
    @proxy.hold(:answers)
    @server << READY
    @proxy.release(:answers)
    assert_equal READY, @client.read(READY.bytesize)
  end

  def test_splits
    @proxy.split(:answers, 1)
    @server << "abc"
    assert_equal "abc", @client.read(3)
    @proxy.split(:answers, nil)
    @server << "def"
    assert_equal "def", @client.read(3)
  end

  def test_cuts_after_a_byte
    @proxy.cut(:answers, after: 2)
    @server << "abc"
    assert_equal "ab", @client.read
    assert_nil @server.read(1)
    assert_equal 0, @proxy.connections
  end

  def test_cuts_only_once
    @proxy.cut(:answers, after: 1)
    @server << "a"
    assert_equal "a", @client.read
    other = connect
    @listener.accept.tap { |server| server << "ab" }
    assert_equal "ab", other.read(2)
    other.close
  end

  def test_stalls
    @proxy.stall
    @server << "abc"
    assert_nothing_comes
    assert_equal 0, @proxy.bytes(:answers)
    @proxy.resume
    assert_equal "abc", @client.readpartial(100)
  end

  def test_delays
    @proxy.delay(:answers, 0.05)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    @server << "abc"
    assert_equal "abc", @client.read(3)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - start, :>=, 0.05
  end

  def test_forgets_nothing_that_becomes_due_between_two_readings_of_the_clock
    proxy = Hurried.new(Server.new(@folder, 1))
    client = UNIXSocket.new(File.join(proxy.host, ".s.PGSQL.#{proxy.port}"))
    server = @listener.accept
    1.upto(20) do |ticks|
      proxy.delay(:answers, ticks * Hurried::TICK)
      server << "a"
      assert client.wait_readable(10), "nothing came that was #{ticks} ticks late"
      assert_equal "a", client.readpartial(100)
    end
  ensure
    [proxy, client, server].compact.each(&:close)
  end

  def test_disconnects
    assert_equal 1, @proxy.disconnect
    assert_nil @client.read(1)
    assert_nil @server.read(1)
  end

  def test_refuses
    @proxy.refuse
    other = connect
    assert_nil other.read(1)
    other.close
    assert_equal 1, @proxy.connections
  end

  def test_passes_on_the_end
    @server << "last words"
    @server.close_write
    assert_equal "last words", @client.read
    assert_nil @server.read(1)
  end

  def test_a_wrong_direction_is_an_error
    assert_raises(KeyError) { @proxy.hold(:upwards) }
    assert_equal 1, @proxy.connections
  end

  private

  def connect
    tcp? ? TCPSocket.new(@proxy.host, @proxy.port) : UNIXSocket.new(File.join(@proxy.host, ".s.PGSQL.#{@proxy.port}"))
  end

  # Two orders later the proxy's loop has passed, and whatever it would have sent is here.
  def assert_nothing_comes
    2.times { @proxy.connections }
    assert_equal :wait_readable, @client.read_nonblock(1, exception: false)
  end

  # The same over TCP.
  class OverTcpTest < self
    def tcp?
      true
    end
  end

end
