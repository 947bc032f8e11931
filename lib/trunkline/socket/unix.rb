# frozen_string_literal: true

require_relative "../errors"
require_relative "attempt"

module Trunkline
  module Socket
    # Connects by a Unix socket.
    module Unix
      HINTS = {
        Errno::ENOENT => "there is no such socket (is a server running on this machine, with that directory and port?)",
        Errno::ECONNREFUSED => "connection refused (the socket is there, is the server still running?)"
      }.freeze
      private_constant :HINTS

      module_function

      # @param path [String] of the socket; a leading "@" means Linux's abstract namespace
      # @param deadline [Float, nil] on the clock of {Readiness.now}
      # @param server [String] its name in errors
      # @return [::Socket] connected, non-blocking
      # @raise [ConnectionError]
      def connect(path, deadline, server: path)
        Attempt.connect(Addrinfo.unix(path.sub(/\A@/, "\0")), deadline) or failed(path, "timed out", server)
      rescue SystemCallError => error
        failed(path, HINTS[error.class] || SystemCallError.new(nil, error.errno).message.downcase, server)
      rescue ArgumentError # "too long unix socket path"
        failed(path, "the path is too long for a Unix socket", server)
      end

      def failed(path, reason, server)
        raise ConnectionError.new("cannot connect to #{path}: #{reason}", server: server)
      end

      private_class_method :failed
    end
  end
end
