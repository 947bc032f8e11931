# frozen_string_literal: true

require "dalli"
require "logger"

Dalli.logger = Logger.new(IO::NULL)

module Trunkline
  # Dalli, whose ring, keys and values must be the same as this client's.
  module DalliOracle
    PROTOCOL = { protocol: :meta, socket_timeout: 30 }.freeze

    # @return [Array<String>] keys of all sorts, long and short
    def keys(random, count)
      Array.new(count) { key(random) }
    end

    # @return [Dalli::Client] that speaks the same protocol
    def dalli(*servers, **options) = Dalli::Client.new(servers, PROTOCOL.merge(options))

    private

    def key(random)
      length = [random.rand(1..30), random.rand(150..300)].sample(random: random)
      alphabet = ["abcdefgh:/-_%0123456789", "abc é漢", "a b\tc", "Ünï cödé"].sample(random: random)
      Array.new(length) { alphabet[random.rand(alphabet.size)] }.join
    end
  end
end
