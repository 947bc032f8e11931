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

      # @return [String, nil]
      # @raise [ConfigError]
      def text(name) = read(name) { |value, source| Value.text(name, value, source) }

      # @return [String, nil]
      # @raise [ConfigError]
      def host(name) = read(name) { |value, source| Value.host(name, value, source) }

      # @return [Integer, nil]
      # @raise [ConfigError]
      def port = read("port") { |value, source| Value.port("port", value, source) }

      # @return [Float, nil]
      # @raise [ConfigError]
      def seconds(name) = read(name) { |value, source| Value.seconds(name, value, source) }

      # @return [String, #call, nil]
      # @raise [ConfigError]
      def password
        read("password") { |value, source| value.respond_to?(:call) ? value : Value.text("password", value, source) }
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

      def read(name)
        value, source = @options[name]
        yield value, source unless value.to_s.empty?
      end
    end

    private_constant :Given
  end
end
