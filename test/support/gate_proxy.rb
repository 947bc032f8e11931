# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"
require_relative "gate_proxy/link"
require_relative "gate_proxy/policy"
require_relative "gate_proxy/troubles"

# A proxy between a client and a real PostgreSQL, controlled by the test. It forwards in its own thread, and every order takes effect before the
# method returns. A direction is :requests (to the server) or :answers (to the client); a unit ends with the client's Sync or with the server's
# ReadyForQuery.
#
#   GateProxy.open(server) do |proxy|
#     db = Trunkline.postgres(proxy.uri, connections: 1)
#     proxy.hold(:answers)                                   # the server works, the client hears nothing
#     future = db.async("SELECT 1")
#     proxy.await { |seen| seen[:answers].messages["Z"] == 2 }
#     proxy.release(:answers, units: 1)
#   end
class GateProxy
  # Raised by {#await} when what it waits for does not come.
  Timeout = Class.new(StandardError)

  # Raised by every order after the proxy has ended.
  Ended = Class.new(StandardError)

  LIMIT = 60 # seconds
  Expectation = Struct.new(:condition, :reply, :deadline)
  private_constant :LIMIT, :Expectation

  # Runs a proxy for the block.
  #
  # @param server [#socket_directory, #port] the server behind it
  # @param tcp [Boolean] whether the proxy listens on 127.0.0.1, and not on a Unix socket
  # @param narrow [Boolean] whether its sockets hold as little as they can, and it reads no more while so much is left to send
  # @param troubles [#call] takes a connection's number and a direction, and makes its {Troubles}
  def self.open(server, **options)
    proxy = new(server, **options)
    yield proxy
  ensure
    proxy&.close
  end

  # @return [Integer] the port, also in the name of the Unix socket
  attr_reader :port
  # @return [String] what a client gives as host: a folder or an address
  attr_reader :host

  def initialize(server, tcp: false, narrow: false, troubles: Troubles.from(0, {}))
    @server = server
    @troubles = troubles
    @accepted = @refused = 0
    @listener = tcp ? listen_tcp : listen_unix
    NarrowSockets.narrow(@listener) if narrow
    @policies = %i[requests answers].to_h { |direction| [direction, Policy.new(narrow: narrow)] }
    @links = []
    @expectations = []
    @orders = Thread::Queue.new
    @ordered, @bell = IO.pipe
    @thread = Thread.new { run }
    @thread.report_on_exception = true
  end

  # @return [String] for the client under test
  def uri(dbname: "postgres", user: "postgres")
    "postgresql:///#{dbname}?host=#{host}&port=#{port}&user=#{user}"
  end

  # Lets nothing more through in this direction; bytes that arrive are counted and kept.
  def hold(direction)
    order { (@policies.fetch(direction).held = true) && @links.each { |link| link[direction].hold } }
  end

  # Lets through what a {#hold} keeps: everything from now on, or so many bytes or units on each connection.
  def release(direction, bytes: nil, units: nil)
    order do
      lanes = @links.map { |link| link[direction] }
      if bytes then lanes.each { |lane| lane.allow_bytes(bytes) }
      elsif units then lanes.each { |lane| lane.allow_units(units) }
      else
        @policies.fetch(direction).held = false
        lanes.each(&:open)
      end
    end
  end

  # Sends at most so many bytes at once; nil for as many as there are.
  def split(direction, bytes)
    order { @policies.fetch(direction).chunk = bytes }
  end

  # Forwards each byte so many seconds after its arrival.
  def delay(direction, seconds)
    order { @policies.fetch(direction).delay = seconds }
  end

  # Closes the connection on which the n-th byte from now goes through, after that byte.
  def cut(direction, after:)
    order { @policies.fetch(direction).cut = after }
  end

  # Neither reads nor writes until {#resume}, as if the network had gone.
  def stall
    order { @policies.each_value { |policy| policy.stalled = true } }
  end

  def resume
    order { @policies.each_value { |policy| policy.stalled = false } }
  end

  # Closes every connection now.
  #
  # @return [Integer] how many there were
  def disconnect
    order { @links.each(&:close).size.tap { @links.clear } }
  end

  # Closes new connections at once, or takes them again.
  def refuse(refusing = true)
    order { @refusing = refusing }
  end

  # @return [Integer] connections that were refused
  def refused
    order { @refused }
  end

  # @return [Integer] connections open through the proxy
  def connections
    order { @links.size }
  end

  # @return [Integer] bytes gone through
  def bytes(direction)
    order { @policies.fetch(direction).bytes }
  end

  # @return [Hash{String, Symbol => Integer}] messages come in, by type
  def messages(direction)
    order { @policies.fetch(direction).messages.dup }
  end

  # Waits until the block, called in the proxy's thread with its {Policy policies} by direction, returns true.
  #
  # @raise [Timeout] after a minute
  def await(&condition)
    reply = Thread::Queue.new
    order { @expectations << Expectation.new(-> { condition.call(@policies) }, reply, now + LIMIT) }
    raise Timeout, "what was awaited did not come: #{@policies}" unless reply.pop
  end

  # Waits until so many messages of the type have come in, since the proxy was opened.
  def await_messages(direction, type, count)
    await { |policies| policies.fetch(direction).messages[type] >= count }
  end

  # @return [String] what has come and gone on each connection, to find the reason of a hang
  def report
    order { @links.map { |link| link.describe(now) }.join("\n") }
  end

  # Ends the proxy and every connection through it.
  def close
    order { @closing = true }
    @thread.join
  rescue Ended
    nil
  ensure
    FileUtils.rm_rf(@folder) if @folder
  end

  private

  def listen_tcp
    @host = "127.0.0.1"
    TCPServer.new(@host, 0).tap { |listener| @port = listener.addr[1] }
  end

  def listen_unix
    @port = 5432
    @host = @folder = Dir.mktmpdir("gate")
    UNIXServer.new(File.join(@folder, ".s.PGSQL.#{@port}"))
  end

  # Runs the block in the proxy's thread, as no other thread touches its state.
  def order(&block)
    reply = Thread::Queue.new
    @orders << [block, reply]
    @bell.write_nonblock(".", exception: false)
    reply.pop.then { |result| result.is_a?(Exception) ? raise(result) : result }
  rescue ClosedQueueError, IOError
    raise Ended
  end

  def run
    pass until @closing
  ensure
    @links.each(&:close)
    [@orders, @listener, @ordered, @bell].each(&:close)
    @orders.pop.last << Ended.new until @orders.empty?
  end

  # Both the lanes that may write and the time until the next may are computed for the same moment: otherwise bytes that become due in between would
  # stay for as long as nothing else happens.
  def pass
    moment = now
    readable, writable = IO.select([@ordered, @listener] + sources, targets(moment), nil, patience(moment))
    accept if readable&.include?(@listener)
    forward(readable || [], writable || [])
    drop_finished
    meet_expectations
    obey(readable)
  end

  def lanes
    @links.flat_map(&:lanes)
  end

  def sources
    lanes.select(&:reading?).map(&:source)
  end

  def targets(moment)
    lanes.select { |lane| lane.writing?(moment) }.map(&:target)
  end

  def patience(moment)
    times = lanes.filter_map { |lane| lane.interval(moment) } + @expectations.map { |expected| expected.deadline - moment }
    times.min&.clamp(0, LIMIT)
  end

  def accept
    client = @listener.accept_nonblock(exception: false)
    return if client == :wait_readable
    return refuse_one(client) if @refusing

    client.setsockopt(:TCP, :NODELAY, true) if client.is_a?(TCPSocket)
    connect(client)
  end

  def refuse_one(client)
    @refused += 1
    client.close
  end

  # If the server is down, the client's connection is closed.
  def connect(client)
    server = UNIXSocket.new(File.join(@server.socket_directory, ".s.PGSQL.#{@server.port}"))
    @accepted += 1
    @links << Link.new(client, server, @policies, @policies.to_h { |direction, _| [direction, @troubles.call(@accepted, direction)] })
  rescue SystemCallError
    client.close
  end

  def forward(readable, writable)
    @links.dup.each do |link|
      link.lanes.each do |lane|
        lane.receive(now) if lane.reading? && readable.include?(lane.source)
        lane.send(now) if lane.writing?(now) && writable.include?(lane.target)
      end
      cut_off(link) if @policies.each_value.any?(&:cut!)
    end
  end

  def cut_off(link)
    link.close
    @links.delete(link)
  end

  def drop_finished
    @links.select(&:over?).each { |link| cut_off(link) }
  end

  def meet_expectations
    @expectations.reject! do |expected|
      met = expected.condition.call
      expected.reply << met if met || expected.deadline < now
    end
  end

  def obey(readable)
    @ordered.read_nonblock(1024, exception: false) if readable&.include?(@ordered)
    until @orders.empty?
      block, reply = @orders.pop
      reply << execute(block)
    end
    meet_expectations
  end

  def execute(block)
    block.call
  rescue KeyError => error
    error
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
