# frozen_string_literal: true

module Trunkline
  class Config
    # Reads the PG* variables.
    #
    # Besides those that are supported it reads those that ask for a guarantee or another server, so that they are
    # refused instead of being ignored. Variables that only say where a file lies (PGPASSFILE, PGSSLROOTCERT) are left
    # unread.
    module Environment
      OPTIONS = {
        "PGHOST" => "host", "PGHOSTADDR" => "hostaddr", "PGPORT" => "port", "PGDATABASE" => "dbname",
        "PGUSER" => "user", "PGPASSWORD" => "password", "PGAPPNAME" => "application_name",
        "PGCONNECT_TIMEOUT" => "connect_timeout",
        "PGCHANNELBINDING" => "channel_binding", "PGCLIENTENCODING" => "client_encoding",
        "PGGSSENCMODE" => "gssencmode", "PGLOADBALANCEHOSTS" => "load_balance_hosts",
        "PGMINPROTOCOLVERSION" => "min_protocol_version", "PGOPTIONS" => "options",
        "PGREQUIREAUTH" => "require_auth", "PGREQUIREPEER" => "requirepeer", "PGSERVICE" => "service",
        "PGSSLMODE" => "sslmode", "PGSSLNEGOTIATION" => "sslnegotiation",
        "PGTARGETSESSIONATTRS" => "target_session_attrs"
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
