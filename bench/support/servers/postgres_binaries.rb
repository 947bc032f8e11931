# frozen_string_literal: true

module Trunkline
  module Bench
    # Finds PostgreSQL's programs: Debian's newest version, else what pg_config says, else the PATH.
    module PostgresBinaries
      DEBIAN = "/usr/lib/postgresql/*/bin"
      private_constant :DEBIAN

      module_function

      # @param name [String] "initdb", "postgres", "psql", "pgbench", ...
      # @return [String] path, or the bare name when only the PATH can tell
      def path(name)
        folder = folders.find { |candidate| File.executable?(File.join(candidate, name)) }
        folder ? File.join(folder, name) : name
      end

      def folders
        @folders ||= Dir[DEBIAN].sort_by { |path| -path[/\d+/].to_i } + configured
      end

      def configured
        [IO.popen(%w[pg_config --bindir], err: File::NULL, &:read).chomp]
      rescue Errno::ENOENT
        []
      end
      private_class_method :folders, :configured
    end
  end
end
