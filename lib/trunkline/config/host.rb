# frozen_string_literal: true

require "socket"

module Trunkline
  class Config
    # One server to try: its address and its label.
    class Host
      # @return [String] a name, an address, or the directory of a Unix socket ("/..." or, abstract, "@...")
      attr_reader :host

      # @return [String, nil] the address to connect to instead of looking up {#host}
      attr_reader :hostaddr

      # @return [Integer]
      attr_reader :port

      # @return [String] "host:port/dbname", for messages
      attr_reader :server

      # @return [Boolean]
      def self.address?(text)
        Addrinfo.getaddrinfo(text, nil, nil, :STREAM, nil, ::Socket::AI_NUMERICHOST).any?
      rescue SocketError
        false
      end

      # @param host [String]
      # @param hostaddr [String, nil]
      # @param port [Integer]
      # @param dbname [String]
      def initialize(host, hostaddr, port, dbname)
        @host = host
        @hostaddr = hostaddr
        @port = port
        @server = "#{self}/#{dbname}".freeze
        @named = hostaddr.nil? && !unix_socket? && !Host.address?(host)
        freeze
      end

      # @return [Boolean]
      def unix_socket? = hostaddr.nil? && host.start_with?("/", "@")

      # @return [Boolean] whether a name is looked up for each connection, and so may resolve to another address
      def named? = @named

      # @return [String] path of the Unix socket; an abstract one starts with "@"
      def socket_path = "#{host}/.s.PGSQL.#{port}"

      # @return [String] "host:port"
      def to_s = "#{host.include?(":") ? "[#{host}]" : host}:#{port}"

      # @return [String]
      def inspect = "#<#{self.class} #{self}#{" (#{hostaddr})" if hostaddr}>"
    end
  end
end
