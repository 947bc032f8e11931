# frozen_string_literal: true

require "json"
require "socket"
require "websocket/driver"

module Trunkline
  # A client of Action Cable, as far as tests need it.
  class Cable
    PATIENCE = 120 # seconds for a message

    # The interface that the driver needs of a socket.
    Wire = Struct.new(:url, :socket) do
      def write(bytes) = socket.write(bytes)
    end
    private_constant :PATIENCE, :Wire

    # @param port [Integer] of 127.0.0.1
    # @yieldparam cable [Cable] that the server has welcomed
    def self.open(port)
      TCPSocket.open("127.0.0.1", port) { |socket| yield new(port, socket) }
    end

    def initialize(port, socket)
      @socket = socket
      @messages = []
      @driver = WebSocket::Driver.client(Wire.new("ws://127.0.0.1:#{port}/cable", socket), protocols: ["actioncable-v1-json"])
      @driver.on(:message) { |event| @messages << JSON.parse(event.data) }
      @driver.start
      receive { |message| message["type"] == "welcome" }
    end

    # @param identifier [Hash] of a channel
    # @return [Cable] once the server has confirmed it
    def subscribe(**identifier)
      @identifier = JSON.generate(identifier)
      @driver.text(JSON.generate(command: "subscribe", identifier: @identifier))
      receive { |message| message["type"] == "confirm_subscription" }
      self
    end

    # @return [Object] the next message of the channel
    def next_message = receive { |message| message["identifier"] == @identifier && message.key?("message") }.fetch("message")

    private

    # Skips other messages, such as pings.
    def receive(&wanted)
      until (found = @messages.find(&wanted))
        @messages.clear
        raise "Action Cable does not answer" unless @socket.wait_readable(PATIENCE)

        @driver.parse(@socket.readpartial(16_384))
      end
      @messages.delete(found)
    end
  end
end
