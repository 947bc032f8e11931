# frozen_string_literal: true

module Trunkline
  class Config
    # Reads the PG* variables. Those that only configure GSSAPI (PGKRBSRVNAME, PGGSSLIB, PGGSSDELEGATION) are ignored.
    module Environment
      OPTIONS = {
        "PGHOST" => "host", "PGHOSTADDR" => "hostaddr", "PGPORT" => "port", "PGDATABASE" => "dbname",
        "PGUSER" => "user", "PGPASSWORD" => "password", "PGPASSFILE" => "passfile",
        "PGSERVICE" => "service", "PGSERVICEFILE" => "servicefile",
        "PGAPPNAME" => "application_name", "PGOPTIONS" => "options", "PGCLIENTENCODING" => "client_encoding",
        "PGCONNECT_TIMEOUT" => "connect_timeout", "PGREQUIREPEER" => "requirepeer",
        "PGTARGETSESSIONATTRS" => "target_session_attrs", "PGLOADBALANCEHOSTS" => "load_balance_hosts",
        "PGREQUIREAUTH" => "require_auth", "PGCHANNELBINDING" => "channel_binding",
        "PGMINPROTOCOLVERSION" => "min_protocol_version", "PGMAXPROTOCOLVERSION" => "max_protocol_version",
        "PGSSLMODE" => "sslmode", "PGSSLNEGOTIATION" => "sslnegotiation", "PGSSLCOMPRESSION" => "sslcompression",
        "PGSSLCERT" => "sslcert", "PGSSLKEY" => "sslkey", "PGSSLCERTMODE" => "sslcertmode", "PGSSLROOTCERT" => "sslrootcert",
        "PGSSLCRL" => "sslcrl", "PGSSLCRLDIR" => "sslcrldir", "PGSSLSNI" => "sslsni",
        "PGSSLMINPROTOCOLVERSION" => "ssl_min_protocol_version", "PGSSLMAXPROTOCOLVERSION" => "ssl_max_protocol_version",
        "PGGSSENCMODE" => "gssencmode"
      }.freeze

      # Variables that are parameters of the session.
      SESSION = { "PGDATESTYLE" => "DateStyle", "PGTZ" => "TimeZone", "PGGEQO" => "geqo" }.freeze
      private_constant :OPTIONS, :SESSION

      module_function

      # @param env [Hash{String => String}, ENV]
      # @return [Hash{String => Array(String, String)}] option name => value and its variable
      def read(env)
        requiressl = { "sslmode" => ["require", "PGREQUIRESSL"] } if env["PGREQUIRESSL"]&.start_with?("1")
        OPTIONS.each_with_object(requiressl || {}) do |(variable, option), found|
          value = env[variable]
          found[option] = [value, variable] if value
        end
      end

      # @param env [Hash{String => String}, ENV]
      # @return [Hash{String => Array(String, String)}] parameter for the startup message => value and its variable
      # @raise [ConfigError] a DateStyle in which dates cannot be decoded
      def session(env)
        given = SESSION.filter_map { |variable, name| [name, env[variable], variable] if env[variable] }
        given.reject! { |_, value, _| value.empty? || value.casecmp?("default") }
        given.to_h do |name, value, variable|
          [name, [name == "DateStyle" ? iso(value, variable) : Value.text(name, value, variable), variable]]
        end
      end

      # Only the order of day, month and year can be chosen.
      def iso(value, variable)
        style, orders = value.split(",").map(&:strip).partition { |word| word.match?(/\A(iso|sql|postgres|german)/i) }
        Value.bad("DateStyle", variable, "must be ISO: that is how dates are read") unless style.all? { |word| word.casecmp?("iso") }
        Value.text("DateStyle", ["ISO", *orders].join(", "), variable)
      end

      private_class_method :iso
    end

    private_constant :Environment
  end
end
