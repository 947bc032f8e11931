# frozen_string_literal: true

require "etc"

module Trunkline
  module Bench
    # What a result was measured with: without it, no figure can be compared.
    module Versions
      GEMS = %w[async io-event pg].freeze
      private_constant :GEMS

      module_function

      # @param server [PostgresServer, nil]
      # @return [Hash{String => String}]
      def all(server = nil)
        { "trunkline" => Trunkline::VERSION, "ruby" => ruby, **gems, **postgres(server),
          "machine" => "#{Etc.nprocessors} cores, #{Etc.uname[:sysname]} #{Etc.uname[:machine]}" }
      end

      # @return [String] one line
      def line(server = nil) = all(server).map { |name, version| "#{name} #{version}" }.join(", ")

      def ruby = "#{RUBY_VERSION}#{" with YJIT" if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?}"

      def gems
        GEMS.filter_map { |name| Gem.loaded_specs[name] }.to_h { |spec| [spec.name, spec.version.to_s] }
      end

      def postgres(server)
        server ? { "postgresql" => server.psql("SHOW server_version").split.first } : {}
      end
      private_class_method :ruby, :gems, :postgres
    end
  end
end
