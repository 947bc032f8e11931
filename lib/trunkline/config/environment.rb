# frozen_string_literal: true

module Trunkline
  class Config
    # Reads the PG* variables. Those that only say how GSSAPI would be used (PGKRBSRVNAME, PGGSSLIB, PGGSSDELEGATION) ask
    # for nothing, and are left unread.
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
      private_constant :OPTIONS

      # @param env [Hash{String => String}, ENV]
      # @return [Hash{String => Array(String, String)}] option name => value and the variable it is from
      def self.read(env)
        OPTIONS.each_with_object({}) do |(variable, option), found|
          value = env[variable]
          found[option] = [value, variable] if value
        end
      end
    end

    private_constant :Environment
  end
end
