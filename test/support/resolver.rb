# frozen_string_literal: true

require "minitest/mock"
require "socket"

module Trunkline
  # A resolver that replaces the system's.
  module Resolver
    private

    # @param names [Hash{String => Array<String>, Addrinfo, Thread::Queue, Exception}] the addresses of a name, or one with its port; where they are waited
    #   for; or an exception to raise
    # @yield with that resolver
    # @return what the block returns
    def resolving(names)
      system = Addrinfo.method(:getaddrinfo)
      fake = lambda do |host, port, *rest|
        next system.call(host, port, *rest) if rest.last == ::Socket::AI_NUMERICHOST

        answer(names.fetch(host), port)
      end
      Addrinfo.stub(:getaddrinfo, fake) { yield }
    end

    def answer(found, port)
      case found
      when Thread::Queue then answer(found.pop.tap { |addresses| found << addresses }, port)
      when Exception then raise found
      when Addrinfo then [found]
      else found.map { |address| Addrinfo.tcp(address, port) }
      end
    end
  end
end
