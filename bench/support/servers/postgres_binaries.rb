# frozen_string_literal: true

module Trunkline
  module Bench
    # Finds PostgreSQL's programs: in the folder that TRUNKLINE_POSTGRES names, else Debian's newest version, else what pg_config
    # says, else the PATH. The folder may hold the server alone; what it lacks comes from the others.
    module PostgresBinaries
      DEBIAN = "/usr/lib/postgresql/*/bin"
      GIVEN = "TRUNKLINE_POSTGRES"
      SERVER = %w[initdb postgres].freeze
      private_constant :DEBIAN, :GIVEN, :SERVER

      module_function

      # @param name [String] "initdb", "postgres", "psql", "pgbench", ...
      # @return [String] path, or the bare name when only the PATH can tell
      def path(name)
        folder = folders.find { |candidate| File.executable?(File.join(candidate, name)) }
        folder ? File.join(folder, name) : name
      end

      # Looks for them again: the folder was given after the first of them was found.
      def forget = @folders = nil

      def folders
        @folders ||= given + Dir[DEBIAN].sort_by { |path| -path[/\d+/].to_i } + configured
      end

      # @raise [RuntimeError] there is no server
      def given
        folder = ENV.fetch(GIVEN, "")
        return [] if folder.empty?

        missing = SERVER.reject { |name| File.executable?(File.join(folder, name)) }
        raise "#{GIVEN} is #{folder}, which has no #{missing.join(" and no ")}" if missing.any?

        [folder]
      end

      def configured
        [IO.popen(%w[pg_config --bindir], err: File::NULL, &:read).chomp]
      rescue Errno::ENOENT
        []
      end
      private_class_method :folders, :given, :configured
    end
  end
end
