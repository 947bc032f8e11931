# frozen_string_literal: true

module Trunkline
  # URLs that name several hosts, as libpq takes them: frameworks take URLs apart by themselves, and Ruby's own classes know one host in each.
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
    # @return [String, nil] the scheme of one with several hosts
    def self.scheme(url) = url.is_a?(String) ? LIST.match(url)&.[](:scheme)&.downcase : nil

    # @param url [String] with several hosts
    # @param user [String] what the framework calls the user in a query
    # @return [String] the same with user, password, hosts and ports in its query; one with a host that cannot be stays what it is
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
