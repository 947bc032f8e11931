# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"

# A proxy between a client and a real PostgreSQL that changes one in so many of the server's messages after the login.
class DesyncProxy
  # Messages that no server sends, or not at this place.
  STRANGE = [
    ["Z", "I"], ["Z", "T"], ["Z", ""], ["C", "SELECT 1\0"], ["C", ""], ["C", "DISCARD ALL\0"], ["D", "\0\1\0\0\0\6FORGED"], ["D", "\0\0"], ["D", "\0\1\xFF\xFF\xFF\xFF"],
    ["T", "\0\0"], ["T", "\0\1v\0#{"\0" * 6}\0\0\0\x17\0\4#{"\xFF" * 4}\0\1"], ["t", "\0\1\0\0\0\x17"], ["t", "\0\0"], ["1", ""], ["2", ""], ["3", ""], ["n", ""], ["s", ""], ["I", ""],
    ["E", "SERROR\0C26000\0Mforged\0\0"], ["E", "SERROR\0C57014\0Mforged\0\0"], ["E", "SFATAL\0C57P01\0Mforged\0\0"], ["E", ""], ["N", "SNOTICE\0C00000\0Mforged\0\0"],
    ["S", "TimeZone\0UTC\0"], ["S", "client_encoding\0LATIN1\0"], ["S", "x"], ["A", "\0\0\0\1c\0p\0"], ["A", ""], ["G", "\0\0\1\0\0"], ["H", "\0\0\1\0\0"], ["W", "\0\0\1\0\0"],
    ["d", "x\n"], ["c", ""], ["R", "\0\0\0\0"], ["K", "\0\0\0\1\0\0\0\2"], ["v", "\0" * 8], ["Q", "x\0"]
  ].map { |type, body| [type, body.bytesize + 4, body.b].pack("aNa*") }.freeze
  MUTATIONS = %i[drop double swap insert replace cut].freeze
  UNCHANGED_BEHIND = 12 # messages behind a changed one that stay as they are; no answer has as many
  Link = Struct.new(:client, :server, :random, :bytes, :held, :logged_in, :unchanged)
  private_constant :STRANGE, :MUTATIONS, :UNCHANGED_BEHIND, :Link

  # Runs a proxy for the block.
  #
  # @param server [#socket_directory, #port]
  # @param seed [Integer] decides, with a connection's number, which of its messages are changed, and how
  # @param one_in [Integer] messages of which one is changed
  def self.open(server, seed:, one_in:)
    proxy = new(server, seed, one_in)
    yield proxy
  ensure
    proxy&.close
  end

  # @return [Hash{Symbol => Integer}] mutations done, of each kind
  attr_reader :done

  def initialize(server, seed, one_in)
    @behind = File.join(server.socket_directory, ".s.PGSQL.#{server.port}")
    @seed, @one_in = seed, one_in
    @folder = Dir.mktmpdir("desync")
    @listener = UNIXServer.new(File.join(@folder, ".s.PGSQL.5432"))
    @done = Hash.new(0)
    @links = {}
    @accepted = 0
    @stop, @stopped = IO.pipe.reverse
    @thread = Thread.new { run }
  end

  # @return [String] for the client
  def uri = "postgresql:///postgres?host=#{@folder}&port=5432&user=postgres"

  # Forwards everything unchanged from now on.
  def forward_unchanged = @one_in = nil

  def close
    @stop.close
    @thread.join
    [@listener, @stopped, *@links.keys].each(&:close)
    FileUtils.remove_entry(@folder)
  end

  private

  def run
    until (ready = IO.select([@listener, @stopped, *@links.keys]).first).include?(@stopped)
      accept if ready.delete(@listener)
      ready.each { |socket| pass_on(socket, @links[socket]) if @links.key?(socket) }
    end
  end

  def accept
    client, server = @listener.accept, UNIXSocket.new(@behind)
    @links[client] = @links[server] = Link.new(client, server, Random.new(@seed + (@accepted += 1)), +"".b, nil, false, 0)
  end

  def pass_on(socket, link)
    bytes = socket.readpartial(65_536)
    socket == link.client ? link.server.write(bytes) : link.client.write(answers(link, link.bytes << bytes))
  rescue IOError, SystemCallError
    [link.client, link.server].each { |closed| @links.delete(closed)&.then { closed.close } }
  end

  # A message that is swapped with the next one waits for that one.
  def answers(link, bytes)
    out = +"".b
    while bytes.bytesize >= 5 && bytes.bytesize > (length = bytes.byteslice(1, 4).unpack1("N"))
      message = bytes.slice!(0, 1 + length)
      out << (link.logged_in ? changed(link, message) : message)
      link.logged_in ||= message.start_with?("Z")
    end
    out
  end

  def changed(link, message)
    held, link.held = link.held, nil
    return message + held if held
    link.unchanged -= 1
    return message if @one_in.nil? || link.unchanged.positive? || link.random.rand(@one_in).positive?

    link.unchanged = UNCHANGED_BEHIND
    mutation = MUTATIONS.sample(random: link.random)
    @done[mutation] += 1
    send(mutation, link, message)
  end

  def drop(_link, _message) = ""
  def double(_link, message) = message * 2
  def swap(link, message) = (link.held = message) && ""
  def insert(link, message) = STRANGE.sample(random: link.random) + message
  def replace(link, _message) = STRANGE.sample(random: link.random)
  def cut(link, message) = message.byteslice(0, link.random.rand(message.bytesize))
end
