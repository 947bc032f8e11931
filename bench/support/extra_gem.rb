# frozen_string_literal: true

require "bundler"
require "rbconfig"

module Trunkline
  module Bench
    # A gem that is not in the bundle, as it would change what others run with, or does not build everywhere. Installed on
    # first use.
    module ExtraGem
      FOLDER = File.expand_path("../../tmp/gems", __dir__)
      private_constant :FOLDER

      module_function

      # @return [Boolean] whether it could be installed
      def available?(name, version)
        return true if specification(name, version)

        Bundler.with_unbundled_env do
          system(RbConfig.ruby, "-S", "gem", "install", "--install-dir", FOLDER, "--no-document", "--version", version, name,
                 out: File::NULL, err: File::NULL)
        end
      end

      # Puts its files before all others that Ruby loads.
      # @raise [RuntimeError] it cannot be installed
      def activate(name, version)
        raise "#{name} #{version} cannot be installed here" unless available?(name, version)

        $LOAD_PATH.unshift(*Gem::Specification.load(specification(name, version)).tap { |spec| spec.base_dir = FOLDER }.full_require_paths)
      end

      def specification(name, version)
        path = File.join(FOLDER, "specifications", "#{name}-#{version}.gemspec")
        path if File.exist?(path)
      end
      private_class_method :specification
    end
  end
end
