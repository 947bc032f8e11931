# frozen_string_literal: true

require "zlib"

module Trunkline
  module Memcached
    # Compresses by zlib.
    module Deflate
      # The most bytes that a deflated byte can become, a bound.
      # https://zlib.net/zlib_tech.html, "Maximum Compression Factor"
      MOST_PER_BYTE = 1032
      private_constant :MOST_PER_BYTE

      module_function

      # @param data [String]
      # @return [String]
      def compress(data) = Zlib.deflate(data)

      # @param data [String] deflated
      # @param most [Integer] bytes; the result exceeds that by a chunk at most, in memory
      # @return [String, nil] nil: it is longer than that
      # @raise [Zlib::Error] it is not deflated, or incomplete
      def decompress(data, most)
        data.bytesize * MOST_PER_BYTE <= most ? Zlib.inflate(data) : inflate_up_to(data, most)
      end

      def inflate_up_to(data, most)
        stream = Zlib::Inflate.new
        plain = "".b
        stream.inflate(data) do |chunk|
          plain << chunk
          return nil if plain.bytesize > most
        end
        raise Zlib::BufError, "the end is missing" unless stream.finished?

        plain
      ensure
        stream&.close
      end
      private_class_method :inflate_up_to
    end
    private_constant :Deflate
  end
end
