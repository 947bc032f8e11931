# frozen_string_literal: true

require "etc"

module Trunkline
  class Config
    # Default values.
    module Defaults
      PORT = 5432 # libpq's

      # Directories of servers' sockets: Debian and Red Hat; the default of PostgreSQL's source.
      SOCKET_DIRECTORIES = %w[/var/run/postgresql /tmp].freeze

      module_function

      # @param port [Integer]
      # @param directories [Array<String>] to search, in this order
      # @return [String] the directory in which a server of this machine listens at that port, else "localhost"
      def host(port, directories = SOCKET_DIRECTORIES)
        directories.find { |directory| File.socket?("#{directory}/.s.PGSQL.#{port}") } || "localhost"
      end

      # @param env [Hash{String => String}, ENV]
      # @return [String, nil] the user's home directory
      def home(env)
        home = env["HOME"]
        home.to_s.empty? ? Etc.getpwuid(Process.euid)&.dir : home
      rescue ArgumentError
        nil
      end

      # @return [String, nil] the command of the program, for the server's list of sessions and its log; of a long path the beginning and the end, as
      #   the server keeps 63 bytes (the pg gem does the same)
      def program_name
        name = $PROGRAM_NAME.dup.force_encoding(Encoding::UTF_8).scrub("?").delete("\0")
        name.sub(/\A(.{30}).{4,}(.{30})\z/m) { "#{$1}...#{$2}" } unless name.empty?
      end

      # @return [String] the operating system's name for the effective user
      # @raise [ConfigError] there is none
      def user
        Etc.getpwuid(Process.euid).name
      rescue ArgumentError
        raise ConfigError, "no user is given, and the operating system has no name for user id #{Process.euid}"
      end
    end

    private_constant :Defaults
  end
end
