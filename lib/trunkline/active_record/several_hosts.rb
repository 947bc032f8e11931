# frozen_string_literal: true

require_relative "../config/host_list_url"

module Trunkline
  module ActiveRecord
    # `DATABASE_URL=trunkline://one.example,two.example/app`: Rails' own parser accepts only one host in a URL.
    module SeveralHosts # :nodoc:
      # For Rails' ConnectionUrlResolver.
      module InResolver
        def initialize(url) = super(SeveralHosts.rewritten(url))
      end

      # For Rails' DatabaseConfigurations, which parses a URL that is given to establish_connection before the resolver does.
      module InConfigurations
        private

        def build_db_config_from_string(*names, config) = super(*names, SeveralHosts.rewritten(config))
      end
      private_constant :InResolver, :InConfigurations

      # Adds support to ActiveRecord, which is loaded.
      def self.support
        require "active_record/database_configurations"
        ::ActiveRecord::DatabaseConfigurations.prepend(InConfigurations)
        ::ActiveRecord::DatabaseConfigurations::ConnectionUrlResolver.prepend(InResolver)
      end

      # @param url [Object]
      # @return [Object] with the hosts in the query, if it has several and is for this adapter
      def self.rewritten(url)
        scheme = HostListURL.scheme(url)
        scheme && Registration.ours?(adapter(scheme)) ? HostListURL.rewritten(url, user: "username") : url
      end

      # @return [String] the adapter that Rails finds for the scheme
      def self.adapter(scheme)
        known = ::ActiveRecord.respond_to?(:protocol_adapters) ? ::ActiveRecord.protocol_adapters[scheme] : nil
        (known || { "postgres" => "postgresql" }.fetch(scheme, scheme)).to_s
      end
      private_class_method :adapter
    end
    private_constant :SeveralHosts
  end
end
