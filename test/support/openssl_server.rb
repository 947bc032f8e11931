# frozen_string_literal: true

require "open3"
require_relative "tls_authority"

module Trunkline
  # `openssl s_server`: a server that can be made to change its keys, or to request another handshake. It prints what it receives.
  class OpenSSLServer
    # @param options [Array<String>] of s_server
    # @yieldparam server [OpenSSLServer]
    def self.open(*options)
      server = new(options)
      begin
        yield server
      ensure
        server.close
      end
    end

    # @return [Integer] of 127.0.0.1
    attr_reader :port

    def initialize(options)
      authority = TLSAuthority.shared
      authority.issue("openssl")
      certificate = ["-cert", authority.path("openssl.crt"), "-key", authority.path("openssl.key")]
      @input, @output, @process = Open3.popen2e("openssl", "s_server", "-accept", "127.0.0.1:0", *certificate, *options)
      @said = +""
      @port = Integer(wait_for(/ACCEPT 127\.0\.0\.1:(\d+)/)[1])
    end

    # Sends the text to the client. A text that begins with "K" makes it change its keys, one with "R" request another handshake: one command each.
    def write(text) = @input.write(text)

    # @param pattern [Regexp, String] in what it has printed
    # @return [MatchData]
    # @raise [EOFError] it has ended
    def wait_for(pattern)
      @said << @output.readpartial(10_000) until (found = @said.match(pattern))
      found
    end

    def close
      Process.kill(:KILL, @process.pid) if @process.alive?
      @process.join
      [@input, @output].each(&:close)
    end
  end
end
