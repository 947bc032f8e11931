# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  class Config
    # libpq's options and three more: the kinds of their values, and which are refused. None is ignored, as a user may rely on it.
    module Options
      # One option: the kind of its value (a method of {Value}), its default, and its allowed values.
      Option = Struct.new(:name, :kind, :default, :choices)

      TLS_VERSIONS = %w[TLSv1 TLSv1.1 TLSv1.2 TLSv1.3].freeze
      PROTOCOLS = %w[3.0 3.2 latest].freeze

      # Seconds for connecting to one host. A login takes milliseconds, or seconds if a server of 10,000 clients is busy with others. libpq has no
      # limit, so a caller of a frozen server that accepts connections waits without end.
      CONNECT_TIMEOUT = 10.0

      TABLE = [
        [:host, :list], [:hostaddr, :list], [:port, :list],
        [:user, :text], [:password, :password], [:passfile, :text], [:dbname, :text],
        [:service, :text], [:servicefile, :text],
        [:connect_timeout, :seconds, CONNECT_TIMEOUT],
        [:application_name, :text], [:fallback_application_name, :text], [:options, :text],
        [:client_encoding, :encoding, "UTF8"],
        [:target_session_attrs, :choice, "any", %w[any read-write read-only primary standby prefer-standby]],
        [:load_balance_hosts, :choice, "disable", %w[disable random]],
        [:keepalives, :switch, true],
        [:keepalives_idle, :count], [:keepalives_interval, :count], [:keepalives_count, :count], [:tcp_user_timeout, :count],
        [:requirepeer, :text],
        [:require_auth, :auth_methods],
        [:channel_binding, :choice, "prefer", %w[disable prefer require]],
        [:min_protocol_version, :choice, "3.0", PROTOCOLS], [:max_protocol_version, :choice, nil, PROTOCOLS],
        [:sslmode, :choice, "prefer", %w[disable allow prefer require verify-ca verify-full]],
        [:sslnegotiation, :choice, "postgres", %w[postgres direct]],
        [:sslcompression, :switch, false],
        [:sslcertmode, :choice, "allow", %w[disable allow require]],
        [:sslcert, :text], [:sslkey, :text], [:sslpassword, :text], [:sslrootcert, :text], [:sslcrl, :text], [:sslcrldir, :text],
        [:sslsni, :switch, true],
        [:ssl_min_protocol_version, :choice, "TLSv1.2", TLS_VERSIONS], [:ssl_max_protocol_version, :choice, nil, TLS_VERSIONS],
        [:pooler, :choice, nil, %w[session transaction]], [:session_url, :text], [:fleet, :fleet]
      ].to_h { |name, kind, default, choices| [name.to_s, Option.new(name.to_s, kind, default, choices&.freeze).freeze] }.freeze

      # Options of this library, not of libpq.
      OWN = %w[pooler session_url fleet].freeze

      # Options of libpq that are refused, by what they need.
      REFUSED = {
        "GSSAPI" => %w[gssdelegation gssencmode gsslib krbsrvname],
        "OAuth" => %w[oauth_ca_file oauth_client_id oauth_client_secret oauth_issuer oauth_scope],
        "the replication protocol" => %w[replication],
        "keys in place of a password" => %w[scram_client_key scram_server_key],
        "a log of the session's keys" => %w[sslkeylogfile]
      }.flat_map { |need, names| names.map { |name| [name, need] } }.to_h.freeze

      # Values of these that have no effect.
      FULFILLED = { "gssencmode" => %w[disable prefer], "gssdelegation" => %w[0] }.freeze

      # Names in other libraries.
      OTHER_NAMES = {
        "database" => "dbname", "db" => "dbname", "hostname" => "host", "username" => "user", "pass" => "password",
        "timeout" => "connect_timeout", "encoding" => "client_encoding", "server" => "host", "hosts" => "host", "address" => "host", "addr" => "host",
        "passwd" => "password", "pwd" => "password"
      }.freeze

      # Options of other libraries, by what to use instead.
      OTHER_WAYS = {
        "connections: (that queries share) and max_connections: (in all)" => %w[pool pool_size size max_pool_size min_pool_size pool_max pool_min max_conns threads],
        "max_wait:" => %w[pool_timeout checkout_timeout acquire_timeout], "sslmode:" => %w[ssl tls], "prepare:" => %w[prepared_statements prepared],
        "the first argument, without a keyword" => %w[url uri dsn conninfo connection_string database_url],
        "no adapter here: Trunkline.postgres is for PostgreSQL alone" => %w[adapter driver], "keys: :symbol" => %w[symbolize_keys symbolize_names],
        "deadline:, of each query or of with" => %w[statement_timeout query_timeout deadline read_timeout write_timeout command_timeout],
        "options: \"-c search_path=...\"" => %w[search_path schema_search_path schema], "options: \"-c name=value\"" => %w[variables settings],
        "logger:" => %w[log loggers], "no option: a lost connection is replaced at the next call" => %w[reconnect reconnect_attempts auto_reconnect retries],
        "role: of a query or of with" => %w[role], "transaction(isolation:)" => %w[isolation isolation_level]
      }.flat_map { |way, names| names.map { |name| [name, way] } }.to_h.freeze

      # Characters of a name that messages contain.
      LONGEST = 40

      private_constant :CONNECT_TIMEOUT, :OTHER_WAYS, :LONGEST, :Option, :TLS_VERSIONS, :PROTOCOLS, :REFUSED, :FULFILLED, :OTHER_NAMES

      module_function

      # @return [Array<String>] the names of libpq's options
      def names = TABLE.keys | REFUSED.keys

      # Adds an option to others; "requiressl" is an old name for two values of sslmode.
      def store(pairs, name, value)
        name, value = "sslmode", value.to_s.start_with?("1") ? "require" : "prefer" if name == "requiressl"
        pairs[name] = value
      end

      # @param name [String] an option's name
      # @param value [Object] its value
      # @param source [String] where it was given
      # @raise [ConfigError] this library does not support what the option requires
      def check(name, value, source)
        need = REFUSED[name]
        raise ConfigError, unknown(name, source) unless need || TABLE.key?(name)
        return if need.nil? || value.to_s.empty? || FULFILLED[name]&.include?(value.to_s)

        raise ConfigError, "#{name} is refused: it needs #{need}, which is not supported (#{source})"
      end

      # @param given [Array<String>] names of options that callers have given
      # @param others [Array<String>] further allowed names
      # @raise [ConfigError] one is unknown
      def check_names(given, others)
        name = (given - names - others - ["requiressl"]).first
        raise ConfigError, unknown(name, "keyword", others) if name
      end

      # In a connection string, the name may be what follows a mistake, such as the rest of a password.
      def unknown(name, source, others = [])
        in_string = source == "connection string"
        shown = in_string ? "" : " #{quoted(name)}"
        return "unknown connection option#{shown}: use #{OTHER_WAYS[name]}#{", beside the connection string" if in_string} (#{source})" if OTHER_WAYS.key?(name)
        return "unknown connection option: it is a keyword of Trunkline.postgres, beside the connection string (#{source})" if in_string && keyword?(name)

        spelling = nearest(name, names + others + OTHER_NAMES.keys) if name.size <= LONGEST
        "unknown connection option#{shown}#{", did you mean #{spelling}?" if spelling} (#{source})"
      end

      def keyword?(name) = [*::Trunkline.method(:postgres).parameters.filter_map { |kind, known| known if kind == :key }, *Limits::DEFAULTS.keys].any? { |known| known.name == name }

      # Comparing a long name with all others takes minutes.
      def nearest(name, dictionary)
        spelling = OTHER_NAMES.key?(name) ? name : DidYouMean::SpellChecker.new(dictionary: dictionary).correct(name).first
        OTHER_NAMES.fetch(spelling, spelling)
      end

      def quoted(name)
        name = name.dup.force_encoding(Encoding::UTF_8).scrub
        name.size > LONGEST ? "#{name[0, LONGEST].inspect}..." : name.inspect
      end

      private_class_method :unknown, :keyword?, :nearest, :quoted
    end

    private_constant :Options
  end
end
