# frozen_string_literal: true

require "open3"

module Trunkline
  module Bench
    # What a single bench needs and bin/setup does not bring: on Debian, as root, it is installed on first use; elsewhere it is named.
    module Packages
      # It cannot be had here; the message says what to do.
      class Missing < StandardError; end

      module_function

      # @param program [String] which the package of the same name has too
      # @raise [Missing]
      def need_program(program)
        install([program]) unless program?(program)
      end

      # @return [Boolean] whether it is found
      def program?(name) = ENV["PATH"].split(File::PATH_SEPARATOR).any? { |folder| File.executable?(File.join(folder, name)) }

      # @param packages [Array<String>] Debian's
      # @return [Hash{String => String}] their versions
      # @raise [Missing]
      def need(*packages)
        missing = packages.reject { |package| version(package) }
        install(missing) if missing.any?
        packages.to_h { |package| [package, version(package)] }
      end

      def install(packages)
        raise Missing, "install #{packages.join(" ")}" unless Process.uid.zero? && File.exist?("/etc/debian_version")

        warn "Installing #{packages.join(" ")}"
        run("apt-get", "update", "-qq")
        run({ "DEBIAN_FRONTEND" => "noninteractive" }, "apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages)
      end

      # @param options as for Process.spawn
      # @return [String] what the command prints
      # @raise [Missing] it fails, or is not there
      def run(*command, **options)
        output, errors, status = Open3.capture3(*command, **options)
        raise Missing, "#{command.grep(String).join(" ")} failed: #{errors}" unless status.success?

        output.chomp
      rescue Errno::ENOENT => error
        raise Missing, error.message
      end

      def version(package)
        output, status = Open3.capture2("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package, err: File::NULL)
        output[/\Ainstalled (.+)/, 1] if status.success?
      rescue Errno::ENOENT
        nil # no Debian
      end
      private_class_method :install, :version
    end
  end
end
