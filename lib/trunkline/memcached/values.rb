# frozen_string_literal: true

require_relative "deflate"
require_relative "errors"

module Trunkline
  module Memcached
    # Converts Ruby's values to bytes and flags, and back, compatible with Dalli in both directions. A String in the encoding BINARY is stored
    # unserialized, and values without flags are read as BINARY, as by Dalli; with string_fastpath, a String in UTF-8 is stored unserialized, too,
    # with a flag. Everything else is serialized: it is equal when it is read, a String in its encoding.
    class Values
      # Dalli's flags.
      SERIALIZED = 1
      COMPRESSED = 2 # without SERIALIZED, also Dalli's flag of text in UTF-8
      TEXT = 4 # text in UTF-8, Dalli 5's flag
      OPTIONS = %i[raw compress cache_nils string_fastpath].freeze
      # Default, in bytes: 128 times the default size of a server's largest item.
      MAX_VALUE = 128 * 1024 * 1024
      # Bytes. No server accepts more (its option -I), and one that does not understand the length would take what follows for commands.
      MOST = 1 << 30
      private_constant :OPTIONS, :MOST

      # @param serializer [#dump, #load]
      # @param compressor [#compress, #decompress]
      # @param compress [Boolean] whether long values are compressed
      # @param compression_min_size [Integer] bytes, from which values are compressed
      # @param raw [Boolean] whether all values are Strings that are stored and returned unchanged
      # @param string_fastpath [Boolean] whether Strings in UTF-8 are stored unserialized
      # @param max_value [Integer] bytes of the longest value, uncompressed
      def initialize(serializer: Marshal, compressor: Deflate, compress: true, compression_min_size: 4096, raw: false,
                     string_fastpath: false, max_value: MAX_VALUE)
        check(serializer, :dump, :load)
        check(compressor, :compress, :decompress)
        check_limit(max_value)
        @max_value = max_value
        @serializer = serializer
        @compressor = compressor
        @compress = compress
        @least = compression_min_size
        @raw = raw
        @fastpath = string_fastpath
      end

      # @param options [Hash, nil] raw: unchanged; compress: whether to, if it is long
      # @yieldparam bytes [String]
      # @yieldparam flags [Integer]
      # @return what the block returns
      # @raise [MarshalError, ValueTooLarge, ArgumentError]
      def dump(value, options = nil)
        return yield(within_limit(raw_bytes(value)), 0) if raw?(options)

        flags = String === value && value.instance_of?(String) ? flags_of(value.encoding, options) : SERIALIZED
        bytes = within_limit(flags == SERIALIZED ? serialize(value) : value)
        bytes, flags = compressed(value, bytes, flags) if bytes.bytesize >= @least && compress?(options)
        yield(bytes, flags)
      end

      # @param bytes [String] as stored
      # @param flags [Integer]
      # @param options [Hash, nil] raw: unchanged
      # @return [Object]
      # @raise [UnmarshalError] it cannot be read, or is longer than max_value
      # @raise [ArgumentError]
      def load(bytes, flags, options = nil)
        return bytes if flags.zero? || raw?(options)

        serialized = flags.anybits?(SERIALIZED)
        bytes = decompress(bytes, serialized || flags.anybits?(TEXT)) if flags.anybits?(COMPRESSED)
        return deserialize(bytes) if serialized

        flags.anybits?(TEXT) ? bytes.dup.force_encoding(Encoding::UTF_8) : bytes
      end

      # Calls that read check their options before they send: if a key is missing, {#load} is not called.
      #
      # @param options [Hash] of one call
      # @param others [Array<Symbol>] further names that the caller takes
      # @raise [ArgumentError]
      def check_options(options, *others)
        unless Hash === options
          advice = ": several keys go to get_multi, delete_multi or set_multi" if String === options
          raise ArgumentError, "options must be a Hash, not #{Argument.shown(options)}#{advice}"
        end

        unknown = options.keys - OPTIONS - others
        raise ArgumentError, "there is no option #{unknown.first.inspect}: #{[*OPTIONS, *others].join(", ")}" unless unknown.empty?
      end

      private

      def check(object, *methods)
        missing = methods.reject { |method| Argument.responds?(object, method) }
        raise ArgumentError, "#{Argument.shown(object)} has no #{missing.join(" and no ")}" unless missing.empty?
      end

      def raw?(options)
        return @raw unless options

        check_options(options)
        options.fetch(:raw, @raw)
      end

      def flags_of(encoding, options)
        return 0 if encoding == Encoding::BINARY

        encoding == Encoding::UTF_8 && (options&.key?(:string_fastpath) ? options[:string_fastpath] : @fastpath) ? TEXT : SERIALIZED
      end

      def compress?(options) = options&.key?(:compress) ? options[:compress] : @compress

      def check_limit(most)
        return if Argument.is?(most, Integer) && most.between?(1, MOST)

        raise ArgumentError, "max_value must be an Integer of 1 to #{MOST} bytes, not #{Argument.shown(most)}"
      end

      def within_limit(bytes)
        return bytes if bytes.bytesize <= @max_value

        raise ValueTooLarge.new("the value has #{bytes.bytesize} bytes, more than max_value (#{@max_value})", sent: false)
      end

      def raw_bytes(value)
        case value
        when String then value
        when Integer, Symbol then value.to_s
        else raise MarshalError, "only a String, an Integer or a Symbol can be stored as it is, not #{Argument.class_of(value)}"
        end
      end

      # Dalli returns values that are compressed and not serialized as text, so bytes are serialized first.
      def compressed(value, bytes, flags)
        source, coding = flags.zero? ? [serialize(value), SERIALIZED] : [bytes, flags]
        shorter = @compressor.compress(source)
        shorter.bytesize < bytes.bytesize ? [shorter, coding | COMPRESSED] : [bytes, flags]
      end

      def serialize(value)
        @serializer.dump(value)
      rescue StandardError => error
        raise unless fails_again? { @serializer.dump(value) }

        raise MarshalError, "a value of #{Argument.class_of(value)} cannot be stored: #{error.message}"
      end

      def deserialize(bytes)
        @serializer.load(bytes)
      rescue StandardError => error
        raise unless fails_again? { @serializer.load(bytes) }

        raise UnmarshalError.new("the stored value cannot be read by #{@serializer}: #{error.message}", sent: true)
      end

      # Whether an error is the serializer's or the compressor's. Thread#raise and Timeout may raise within it too: these errors are the caller's, and
      # repeating the call without an interrupt does not fail then.
      def fails_again?(&again)
        Thread.handle_interrupt(Object => :never, &again)
        false
      rescue StandardError
        true
      end

      # Dalli 4 uses the bit for two purposes: a value that cannot be decompressed is text, unless another flag shows what it is.
      def decompress(bytes, known)
        plain = inflated(bytes)
        known ? plain.b : text(plain)
      rescue UnmarshalError
        raise
      rescue StandardError => error
        raise unless fails_again? { inflated(bytes) }
        raise UnmarshalError.new("the stored value cannot be decompressed: #{error.message}", sent: true) if known

        text(bytes)
      end

      # A compressor of the user does not get the limit: its result is checked.
      def inflated(bytes)
        plain = @compressor.equal?(Deflate) ? Deflate.decompress(bytes, @max_value) : @compressor.decompress(bytes)
        return plain if plain && plain.bytesize <= @max_value

        raise UnmarshalError.new("the stored value has more bytes than max_value (#{@max_value}) when it is decompressed", sent: true)
      end

      def text(bytes)
        text = bytes.dup.force_encoding(Encoding::UTF_8)
        text.valid_encoding? ? text : bytes
      end
    end
    private_constant :Values
  end
end
