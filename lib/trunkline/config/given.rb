# frozen_string_literal: true

module Trunkline
  class Config
    # Merges options from all sources by precedence: each option's value and its source.
    class Given
      # @param conninfo [String, nil]
      # @param env [Hash{String => String}, ENV]
      # @param keywords [Hash{Symbol => Object}]
      # @param service [Boolean] whether the service file is read, if a service is named
      # @raise [ConfigError]
      def initialize(conninfo, env, keywords, service: true)
        explicit = from_string(conninfo).merge(from_keywords(keywords))
        environment = Environment.read(env)
        @options = environment.merge(service ? from_service(environment.merge(explicit), env) : {}, explicit)
        @options.each { |name, (value, source)| Options.check(name, value, source) }
      end

      # @return [Hash{String => String}] the values as given
      def texts = @options.transform_values { |value, _| value.dup.force_encoding(Encoding::UTF_8) }

      # @return [Hash{String => String}] option name => source of its value
      def sources = @options.reject { |_, (value, _)| value.to_s.empty? }.transform_values(&:last)

      # @param option [Options::Option]
      # @return [Object, nil] as {Value} converts it; the default if nothing is given
      # @raise [ConfigError]
      def value(option)
        value, source = @options[option.name]
        value.to_s.empty? ? option.default : Value.public_send(option.kind, option, value, source)
      end

      # The options that another address has in common with this one: all that it does not contain itself.
      #
      # @param url [String] of the other one
      # @return [Hash{Symbol => Object}] keywords of {Config#initialize}
      # @raise [ConfigError]
      def beside(url)
        said = from_string(url).keys
        @options.except(*WHERE, *Options::OWN, *said).transform_values(&:first).transform_keys(&:to_sym)
      end

      WHERE = %w[host hostaddr port service servicefile load_balance_hosts].freeze
      private_constant :WHERE

      private

      def from_string(conninfo)
        if Hash === conninfo
          raise ConfigError, "the connection string must be a String, not Hash: write options as keywords, as in postgres(host: \"db\", dbname: \"app\"), or **hash"
        end

        bytes = Value.text("the connection string", conninfo, "first argument")&.b or return {}
        pairs = URI.match?(bytes) ? URI.parse(bytes) : Conninfo.parse(bytes)
        pairs.transform_values { |value| [value, "connection string"] }
      end

      def from_keywords(keywords)
        pairs = keywords.compact.each_with_object({}) { |(name, value), given| Options.store(given, name.to_s, Value.readable(name, value)) }
        pairs.transform_values { |value| [value, "keyword"] }
      end

      def from_service(options, env)
        name, file = %w[service servicefile].map { |option| Value.text(option, *options[option] || [nil, nil]) }
        name.to_s.empty? ? {} : Service.new(name, (file unless file.to_s.empty?), env).options
      end
    end

    private_constant :Given
  end
end
