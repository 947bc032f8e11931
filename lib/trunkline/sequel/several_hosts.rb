# frozen_string_literal: true

require_relative "../config/host_list_url"

module Sequel
  module Trunkline
    # `Sequel.connect("trunkline://one.example,two.example/app")`: Sequel uses Ruby's URI parser, which accepts one host.
    module SeveralHosts # :nodoc:
      URLS = ::Trunkline.const_get(:HostListURL)
      private_constant :URLS

      # For Sequel::Database.
      def connect(conn_string, *options, &block)
        scheme = URLS.scheme(conn_string)
        ours = scheme && Sequel.synchronize { ADAPTER_MAP[scheme.to_sym] } == Database
        super(ours ? URLS.rewritten(conn_string, user: "user") : conn_string, *options, &block)
      end
    end
    private_constant :SeveralHosts
  end
end
