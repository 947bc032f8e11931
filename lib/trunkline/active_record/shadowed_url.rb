# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # DATABASE_URL overrides database.yml, and its adapter overrides `adapter: trunkline`: an application that has both runs on the stock adapter.
    # This warns at the start.
    module ShadowedURL # :nodoc:
      SCHEME = %r{\A(?:postgres|postgresql)://}i
      private_constant :SCHEME

      module_function

      # @param application [Rails::Application]
      def check(application, env = ENV)
        start = env["DATABASE_URL"].to_s[SCHEME]
        return unless start && application.respond_to?(:config) && in_file?(application)
        return if Registration.ours?("postgresql") || ours?(start.delete_suffix("://"))

        warn("trunkline: DATABASE_URL begins with #{start}, which wins over `adapter: trunkline` in database.yml, and the stock " \
             "adapter is used: write trunkline:// in DATABASE_URL, or `gem \"trunkline\", require: \"trunkline/postgresql\"` in the Gemfile")
      end

      # The variable applies to the first database.
      def in_file?(application)
        databases = application.config.database_configuration[Rails.env.to_s]
        return false unless databases.is_a?(Hash)

        primary = databases.values.all?(Hash) ? databases["primary"] || databases.values.first : databases
        (primary || {})["adapter"] == "trunkline"
      rescue RuntimeError
        false # there is no such file
      end

      # Since Rails 7.2, an application can map a scheme to an adapter.
      def ours?(scheme) = ::ActiveRecord.respond_to?(:protocol_adapters) && ::ActiveRecord.protocol_adapters[scheme.downcase] == Registration::OWN
      private_class_method :in_file?, :ours?
    end
    private_constant :ShadowedURL
  end
end
