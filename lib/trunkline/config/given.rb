# frozen_string_literal: true

module Trunkline
  class Config
    # What was given, from all places, the stronger place winning: each option's value and its source.
    class Given
      # @param conninfo [String, nil]
      # @param env [Hash{String => String}, ENV]
      # @param keywords [Hash{Symbol => Object}]
      # @raise [ConfigError]
      def initialize(conninfo, env, keywords)
        @options = Environment.read(env).merge(from_string(conninfo), from_keywords(keywords))
        @options.each { |name, (value, source)| Options.check(name, value, source) }
      end

      # @return [Hash{String => String}] option name => where its value is from
      def sources = @options.reject { |_, (value, _)| value.to_s.empty? }.transform_values(&:last)

      # @param option [Options::Option]
      # @return [Object, nil] what {Value} makes of it; the default where nothing is given
      # @raise [ConfigError]
      def value(option)
        value, source = @options[option.name]
        value.to_s.empty? ? option.default : Value.public_send(option.kind, option, value, source)
      end

      private

      def from_string(conninfo)
        bytes = Value.text("the connection string", conninfo, "first argument")&.b or return {}
        pairs = URI.match?(bytes) ? URI.parse(bytes) : Conninfo.parse(bytes)
        pairs.transform_values { |value| [value, "connection string"] }
      end

      def from_keywords(keywords)
        keywords.compact.to_h { |name, value| [name.to_s, [value, "keyword"]] }
      end
    end

    private_constant :Given
  end
end
