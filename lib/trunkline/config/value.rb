# frozen_string_literal: true

module Trunkline
  class Config
    # Turns what was given for an option into what the option is. Messages name option and source, not the value: a
    # password with a "/" or a space in the wrong place ends up as some other option.
    module Value
      module_function

      # @return [String, nil] frozen; UTF-8, not necessarily valid
      # @raise [ConfigError]
      def text(name, value, source)
        return if value.nil?

        value = value.name if value.is_a?(Symbol)
        bad(name, source, "must be a String, not #{value.class}") unless value.is_a?(String)
        bad(name, source, "holds a NUL character") if value.b.include?("\0")
        utf8(value)
      end

      # @return [String] frozen
      # @raise [ConfigError]
      def host(name, value, source)
        host = text(name, value, source)
        host.include?(",") ? bad(name, source, "names several hosts, which is not supported yet") : host
      end

      # @return [Integer]
      # @raise [ConfigError]
      def port(name, value, source)
        bad(name, source, "names several ports, which is not supported yet") if value.to_s.include?(",")
        number = Integer(value.to_s, 10, exception: false)
        number&.between?(1, 65_535) ? number : bad(name, source, "must be a number from 1 to 65535")
      end

      # @return [Float, nil] nil, without end, for zero and less
      # @raise [ConfigError]
      def seconds(name, value, source)
        number = Float(value, exception: false) if value.is_a?(Numeric) || value.is_a?(String)
        bad(name, source, "must be a number of seconds") unless number&.finite?
        number if number.positive?
      end

      # Strings of unknown encoding are sent as they are, as libpq sends them.
      def utf8(value)
        value = value.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::BINARY].include?(value.encoding)
        value.dup.force_encoding(Encoding::UTF_8).freeze
      rescue EncodingError
        value.b.freeze
      end

      def bad(name, source, what)
        raise ConfigError, "#{name} #{what} (#{source})"
      end

      private_class_method :utf8, :bad
    end

    private_constant :Value
  end
end
