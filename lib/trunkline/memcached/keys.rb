# frozen_string_literal: true

require "digest"

module Trunkline
  module Memcached
    # Converts a caller's key to the one that is sent: with the namespace as prefix, and shortened if necessary. The digest of a key that is too long
    # follows as much of the key as fits, as in Dalli.
    class Keys
      LONGEST = 250 # bytes on the wire
      BEFORE_DIGEST = ":md5:"
      SEPARATOR = /\A[^a-zA-Z0-9 \x00-\x1F\x7F]\z/
      private_constant :LONGEST, :BEFORE_DIGEST, :SEPARATOR

      # @param namespace [String, Symbol, Proc, nil] prefix of every key; a Proc is called each time
      # @param separator [String] one character between the two
      # @param digest_class [#hexdigest]
      # @raise [ArgumentError]
      def initialize(namespace: nil, separator: ":", digest_class: Digest::MD5)
        raise ArgumentError, "digest_class must have hexdigest, as Digest::MD5 has" unless Argument.responds?(digest_class, :hexdigest)
        unless String === separator && SEPARATOR.match?(separator)
          raise ArgumentError, "namespace_separator must be one character that is no letter, digit, blank or control character"
        end

        @namespace = Proc === namespace || nil == namespace ? namespace : Argument.text(namespace, "the namespace")
        @separator = separator
        @digest_class = digest_class
      end

      # @param key [String, Symbol, #to_s] not empty
      # @return [String]
      # @raise [ArgumentError]
      def wire(key)
        key = text(key) unless String === key
        raise ArgumentError, "a key cannot be blank" if key.empty?

        key = "#{namespace}#{@separator}#{key}" if @namespace
        Request.fits?(key) ? key : shortened(key)
      end

      # @param keys [Array<String, Symbol, #to_s>] none of them empty
      # @return [Array<String>] the same Array if nothing has to be changed
      # @raise [ArgumentError]
      def wires(keys) = @namespace.nil? && Request.fit?(keys) ? keys : keys.map { |key| wire(key) }

      # @return [String] for an argument that is not a String
      # @raise [ArgumentError, TypeError]
      def text(key)
        return Argument.text(key, "a key") unless Argument.is?(key, Array, Hash)

        raise ArgumentError, "a key is a String or a Symbol, not #{Argument.class_of(key)}: several go to get_multi, set_multi or delete_multi"
      end

      private

      def namespace = @namespace.is_a?(Proc) ? @namespace.call : @namespace

      # With a namespace, the result is one byte longer, for compatibility.
      def shortened(key)
        ending = "#{BEFORE_DIGEST}#{@digest_class.hexdigest(key)}"
        length = LONGEST - (@namespace ? 0 : 1) - ending.length
        beginning = key[0, [length, 0].max]
        beginning = beginning[0...-1] until beginning.empty? || Request.fits?(beginning + ending)
        short = beginning + ending
        return short if Request.fits?(short)

        raise ArgumentError, "the digests of #{@digest_class} are too long for a key"
      end
    end
    private_constant :Keys
  end
end
