# frozen_string_literal: true

module Trunkline
  class Config
    # Converts the given value of an option. Messages contain the option and its source, not the value: a password with a "/" or a space in the wrong
    # place is parsed as some other option.
    module Value
      # Names of authentication methods, of servers and libpq.
      METHODS = %w[password md5 gss sspi scram-sha-256 oauth none].freeze
      UTF8 = %w[utf8 unicode].freeze
      private_constant :METHODS, :UTF8

      module_function

      # @return [Object] the value of a keyword that is not one of libpq's
      # @raise [ConfigError]
      def readable(option, value)
        value.to_s
        value
      rescue NoMethodError
        bad(option, "keyword", "must be a String, not #{Argument.class_of(value)}")
      end

      # @return [String, nil] frozen; UTF-8, not necessarily valid
      # @raise [ConfigError]
      def text(option, value, source)
        return if nil == value

        value = value.name if Symbol === value
        bad(option, source, "must be a String, not #{Argument.class_of(value)}") unless Argument.is?(value, String)
        bad(option, source, "holds a NUL character") if value.b.include?("\0")
        utf8(value)
      end

      # @return [String, #call]
      # @raise [ConfigError]
      def password(option, value, source) = Argument.responds?(value, :call) ? value : text(option, value, source)

      # @return [Array<String>] the parts between the commas
      # @raise [ConfigError]
      def list(option, value, source)
        parts = Array === value ? value : [value]
        bad(option, source, "holds nil") if parts.include?(nil)
        parts.flat_map { |part| text(option, Numeric === part ? part.to_s : part, source).split(",", -1) }.freeze
      end

      # @return [Float, nil] nil: no limit, for zero and less
      # @raise [ConfigError]
      def seconds(option, value, source)
        number = Float(value, exception: false) if Argument.is?(value, Numeric, String)
        bad(option, source, "must be a number of seconds") unless number&.finite?
        number if number.positive?
      end

      # @return [Integer, nil] nil: the system's own, for zero and less
      # @raise [ConfigError]
      def count(option, value, source)
        number = Integer(value.to_s, 10, exception: false)
        bad(option, source, "must be a whole number") unless number && number < 1 << 31
        number if number.positive?
      end

      # @return [Boolean]
      # @raise [ConfigError]
      def switch(option, value, source)
        case value.to_s.strip
        when "1", "true" then true
        when "0", "false" then false
        else bad(option, source, "must be 1 or 0")
        end
      end

      # @return [Integer, true, nil] connections for all processes; true: as many as the server accepts; nil: they are not divided
      # @raise [ConfigError]
      def fleet(option, value, source)
        case value.to_s.strip
        when "true" then true
        when "false", "0" then nil
        when /\A[1-9]\d*\z/ then Integer(value.to_s.strip, 10)
        else bad(option, source, "must be true, or a number of connections for all processes")
        end
      end

      # @return [String] one of the option's choices
      # @raise [ConfigError]
      def choice(option, value, source)
        word = text(option, value, source)
        option.choices.find { |choice| choice.casecmp?(word) } || bad(option, source, "must be #{option.choices.join(" or ")}")
      end

      # @return [Array<String>] the authentication methods that are allowed
      # @raise [ConfigError]
      def auth_methods(option, value, source)
        words = list(option, value, source)
        names = words.map { |word| word.delete_prefix("!") }
        unknown = names - METHODS
        bad(option, source, "must be a list of #{METHODS.join(", ")}, each with ! for all but these") if unknown.any?
        bad(option, source, "names a method twice") if names.uniq != names
        forbidding = words.count { |word| word.start_with?("!") }
        bad(option, source, "either allows methods or, with !, forbids some") unless [0, words.size].include?(forbidding)
        (forbidding.zero? ? names : METHODS - names).freeze
      end

      # The only encoding of connections is UTF8; "auto" means the locale's.
      # @return [String]
      # @raise [ConfigError]
      def encoding(option, value, source)
        name = text(option, value, source)
        name = locale if name == "auto"
        return "UTF8" if UTF8.include?(name.downcase.gsub(/[^a-z0-9]/, ""))

        bad(option, source, "must be UTF8: that is what strings are sent and read in")
      end

      def bad(option, source, what)
        raise ConfigError, "#{option.respond_to?(:name) ? option.name : option} #{what} (#{source})"
      end

      # Text of the C locale is valid UTF-8.
      def locale = Encoding.find("locale").then { |encoding| encoding == Encoding::US_ASCII ? "UTF8" : encoding.name }

      # Strings of unknown encoding are sent unchanged, as libpq does.
      def utf8(value)
        value = value.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::BINARY].include?(value.encoding)
        value.dup.force_encoding(Encoding::UTF_8).freeze
      rescue EncodingError
        value.b.freeze
      end

      private_class_method :locale, :utf8
    end

    private_constant :Value
  end
end
