# frozen_string_literal: true

require_relative "../config/host_list_url"

module Trunkline
  module ActiveRecord
    # `DATABASE_URL=trunkline://one.example,two.example/app`: Rails takes a URL apart, and knows one host in it.
    module SeveralHosts # :nodoc:
      # Of Rails' ConnectionUrlResolver.
      module InResolver
        def initialize(url) = super(SeveralHosts.rewritten(url))
      end

      # Of Rails' DatabaseConfigurations, which looks at a URL that establish_connection is given before the resolver does.
      module InConfigurations
        private

        def build_db_config_from_string(*names, config) = super(*names, SeveralHosts.rewritten(config))
      end
      private_constant :InResolver, :InConfigurations

      # Has ActiveRecord, which is loaded, know them.
      def self.support
        require "active_record/database_configurations"
        ::ActiveRecord::DatabaseConfigurations.prepend(InConfigurations)
        ::ActiveRecord::DatabaseConfigurations::ConnectionUrlResolver.prepend(InResolver)
      end

      # @param url [Object]
      # @return [Object] with hosts in the query, where it names several and is this adapter's
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
