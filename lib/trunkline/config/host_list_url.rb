# frozen_string_literal: true

module Trunkline
  # URLs with several hosts, as libpq accepts them: frameworks parse URLs themselves, and Ruby's own classes accept one host in each.
  module HostListURL # :nodoc:
    LIST = %r{
      \A(?<scheme>[a-z]\w*)://
      (?:(?<user>[^:@/?\#]*)(?::(?<password>[^@/?\#]*))?@)?
      (?<hosts>[^@/?\#]*,[^@/?\#]*)
      (?<path>/[^?\#]*)?(?:\?(?<query>[^\#]*))?\z
    }xi
    HOST = /\A(?:\[(?<address>\h*:[^\[\]]+)\]|(?<name>[^:\[\]]*))(?::(?<port>\d*))?\z/
    private_constant :LIST, :HOST

    # @param url [Object]
    # @return [String, nil] the scheme of a URL with several hosts
    def self.scheme(url) = url.is_a?(String) ? LIST.match(url)&.[](:scheme)&.downcase : nil

    # @param url [String] with several hosts
    # @param user [String] the framework's name for the user in a query
    # @return [String] the same with user, password, hosts and ports in its query; a URL with an invalid host is unchanged
    def self.rewritten(url, user:)
      match = LIST.match(url)
      hosts = match[:hosts].split(",", -1).map { |host| HOST.match(host) or return url }
      query = { user => match[:user], "password" => match[:password], "host" => hosts.map { |host| host[:address] || host[:name] }.join(","),
                "port" => (hosts.map { |host| host[:port] }.join(",") if hosts.any? { |host| host[:port] }) }.compact
      "#{match[:scheme]}://#{match[:path] || "/"}?#{[*query.map { |pair| pair.join("=") }, *match[:query]].join("&")}"
    end
  end
  private_constant :HostListURL
end
