# frozen_string_literal: true

module Trunkline
  class Config
    # A service: options under a name, in the user's file or the system's, by the rules of libpq's manual ("The Connection
    # Service File").
    class Service
      # Directories of the system's file: Debian, Red Hat, the default of PostgreSQL's source.
      DIRECTORIES = %w[/etc/postgresql-common /etc/sysconfig/pgsql /usr/local/pgsql/etc].freeze
      private_constant :DIRECTORIES

      # @param name [String]
      # @param file [String, nil] the file to search first; it must exist. nil: ~/.pg_service.conf, if that exists
      # @param env [Hash{String => String}, ENV] for HOME, and PGSYSCONFDIR, the directory of the system's file
      def initialize(name, file, env)
        @name = name
        @file = file
        @env = env
      end

      # @return [Hash{String => Array(String, String)}] option name => value and its source
      # @raise [ConfigError] the service is not defined, or its definition is invalid
      def options
        files.each do |file|
          found = section(file)
          return found.transform_values { |value| [value, "service #{@name} in #{file}"] } if found
        end
        raise ConfigError, "service #{@name.inspect} is not defined in #{files.empty? ? "any file" : files.join(" or ")}"
      end

      private

      def files
        own = @file || "#{Defaults.home(@env)}/.pg_service.conf"
        system = @env["PGSYSCONFDIR"] ? [@env["PGSYSCONFDIR"]] : DIRECTORIES
        others = system.map { |directory| "#{directory}/pg_service.conf" }.find { |file| File.file?(file) }
        [(own if @file || File.file?(own)), others].compact
      end

      # @return [Hash{String => String}, nil] nil: the file has no such section
      def section(file)
        found = nil
        lines(file).each.with_index(1) do |line, number|
          next if line.empty? || line.start_with?("#")

          if line.start_with?("[")
            break if found

            found = {} if line.start_with?("[#{@name}]".b)
          elsif found
            name, value = pair(line, "line #{number} of #{file}")
            found[name] ||= value
          end
        end
        found
      end

      def lines(file)
        File.binread(file).each_line.map(&:strip)
      rescue SystemCallError => error
        raise ConfigError, "service file #{file} cannot be read: #{SystemCallError.new(nil, error.errno).message.downcase}"
      end

      # A line may contain a password, so it is not shown.
      def pair(line, where)
        raise ConfigError, "#{where}: looking up services by LDAP is not supported" if line.start_with?("ldap")

        name, value = line.split("=", 2)
        raise ConfigError, "#{where} is not name=value" unless value
        raise ConfigError, "#{where}: a service cannot name another" if %w[service servicefile].include?(name)

        [name, value]
      end
    end

    private_constant :Service
  end
end
