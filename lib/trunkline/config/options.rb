# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  class Config
    # Which of libpq's options are supported, which are understood where they ask for nothing special, and which are
    # refused. An option is never ignored: someone may rely on it.
    module Options
      SUPPORTED = %w[
        host hostaddr port dbname user password connect_timeout application_name fallback_application_name
      ].freeze

      # Values that a plain connection fulfils; upper and lower case do not matter.
      FULFILLED = {
        "channel_binding" => %w[disable prefer], "client_encoding" => %w[utf8 utf-8 unicode],
        "gssencmode" => %w[disable prefer], "load_balance_hosts" => %w[disable],
        "sslmode" => %w[disable allow prefer], "target_session_attrs" => %w[any]
      }.freeze

      # Known to libpq and refused, by what they need.
      REFUSED = {
        "encryption (TLS)" => %w[
          requiressl sslcert sslcertmode sslcompression sslcrl sslcrldir sslkey sslkeylogfile sslmode sslnegotiation
          sslpassword sslrootcert sslsni ssl_max_protocol_version ssl_min_protocol_version channel_binding
        ],
        "GSSAPI" => %w[gssdelegation gssencmode gsslib krbsrvname],
        "OAuth" => %w[oauth_ca_file oauth_client_id oauth_client_secret oauth_issuer oauth_scope],
        "a password file" => %w[passfile],
        "a service file" => %w[service servicefile],
        "the choice between several hosts" => %w[load_balance_hosts target_session_attrs],
        "an encoding other than UTF8" => %w[client_encoding],
        nil => %w[
          keepalives keepalives_count keepalives_idle keepalives_interval max_protocol_version min_protocol_version
          options replication require_auth requirepeer scram_client_key scram_server_key tcp_user_timeout
        ]
      }.flat_map { |need, names| names.map { |name| [name, need] } }.to_h.freeze

      # What other libraries call them.
      OTHER_NAMES = {
        "database" => "dbname", "db" => "dbname", "hostname" => "host", "username" => "user", "pass" => "password",
        "timeout" => "connect_timeout", "encoding" => "client_encoding"
      }.freeze

      private_constant :SUPPORTED, :FULFILLED, :REFUSED, :OTHER_NAMES

      module_function

      # @param name [String] an option's name
      # @param value [Object] its value
      # @param source [String] where it was given
      # @raise [ConfigError] unless a connection as this library makes it gives what the option asks for
      def check(name, value, source)
        raise ConfigError, "unknown connection option #{misspelt(name)} (#{source})" unless known?(name)
        return if SUPPORTED.include?(name) || value.to_s.empty? || FULFILLED[name]&.include?(value.to_s.downcase)

        raise ConfigError, "#{refusal(name, value)} (#{source})"
      end

      def known?(name) = SUPPORTED.include?(name) || REFUSED.key?(name)

      # The value is shown only where it cannot be a secret.
      def refusal(name, value)
        reason = REFUSED[name] ? "it needs #{REFUSED[name]}, which is not supported yet" : "it is not supported yet"
        return "#{name} is refused: #{reason}" unless FULFILLED.key?(name)

        "#{name}=#{value} is refused: #{reason}; what works is #{name}=#{FULFILLED[name].join(" or ")}"
      end

      def misspelt(name)
        name = name.dup.force_encoding(Encoding::UTF_8).scrub
        checker = DidYouMean::SpellChecker.new(dictionary: SUPPORTED + REFUSED.keys)
        spelling = OTHER_NAMES[name] || checker.correct(name).first
        spelling ? "#{name.inspect}, did you mean #{spelling}?" : name.inspect
      end

      private_class_method :known?, :refusal, :misspelt
    end

    private_constant :Options
  end
end
