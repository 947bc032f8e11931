# frozen_string_literal: true

require_relative "errors"
require_relative "config/conninfo"
require_relative "config/defaults"
require_relative "config/environment"
require_relative "config/given"
require_relative "config/options"
require_relative "config/uri"
require_relative "config/value"

module Trunkline
  # Where to connect, as whom: everything that is known before the first byte is sent. Keywords win over the connection
  # string, that over the PG* variables, those over the defaults. An empty value hides what is below it and means the
  # default. Frozen; shows no secret.
  class Config
    # @return [String] a name, an address, or the directory of a Unix socket ("/..." or, abstract, "@...")
    attr_reader :host

    # @return [String, nil] the address to connect to instead of looking up {#host}
    attr_reader :hostaddr

    # @return [Integer]
    attr_reader :port

    # @return [String]
    attr_reader :user

    # @return [String]
    attr_reader :dbname

    # @return [Float, nil] seconds for the whole of connecting; nil waits without end
    attr_reader :connect_timeout

    # @return [String, nil]
    attr_reader :application_name

    # @return [String] "host:port/dbname", for messages
    attr_reader :server

    # @param conninfo [String, nil] a URI (postgres://, postgresql://) or keywords and values, as libpq reads them
    # @param env [Hash{String => String}, ENV] where the PG* variables are read
    # @param keywords [Hash{Symbol => Object}] host, hostaddr, port, user, password (a String, or something with `call`
    #   that returns one and is asked at every connection), dbname, connect_timeout (seconds), application_name; nil
    #   counts as not given
    # @raise [ConfigError] for what is malformed, unknown or not supported
    def initialize(conninfo = nil, env: ENV, **keywords)
      given = Given.new(conninfo, env, keywords)
      assign_place(given)
      assign_identity(given)
      @server = "#{host.include?(":") ? "[#{host}]" : host}:#{port}/#{dbname}".freeze
      @sources = given.sources.freeze
      freeze
    end

    # @return [String, nil] the password; asks the callable where one was given
    # @raise [ConfigError] when the callable returns neither a String nor nil
    def password
      return @password unless @password.respond_to?(:call)

      Value.text("password", @password.call, "returned by its callable")
    end

    # @return [Boolean]
    def unix_socket? = hostaddr.nil? && host.start_with?("/", "@")

    # @return [String] path of the Unix socket; an abstract one starts with "@"
    def socket_path = "#{host}/.s.PGSQL.#{port}"

    # @param name [Symbol, String] an option
    # @return [String] where its value is from: "keyword", "connection string", the name of a variable, or "default"
    def source(name) = @sources.fetch(name.to_s, "default")

    # @return [String] every option and where it is from; of the password only that there is one
    def inspect
      options = { host: host, hostaddr: hostaddr, port: port, user: user, dbname: dbname,
                  connect_timeout: connect_timeout, application_name: application_name }.compact
      shown = options.map { |name, value| "#{name}=#{value.inspect} (#{source(name)})" }
      shown << "password=[hidden] (#{source(:password)})" if @password
      "#<#{self.class} #{shown.join(", ")}>"
    end

    private

    def assign_place(given)
      @port = given.port || Defaults::PORT
      @hostaddr = given.host("hostaddr")
      @host = given.host("host") || @hostaddr || Defaults.host(@port).freeze
      @connect_timeout = given.seconds("connect_timeout")
    end

    def assign_identity(given)
      @user = given.text("user") || Defaults.user.freeze
      @dbname = given.text("dbname") || @user
      @application_name = given.text("application_name") || given.text("fallback_application_name")
      @password = given.password
    end
  end
end
