# frozen_string_literal: true

require_relative "errors"
require_relative "config/conninfo"
require_relative "config/defaults"
require_relative "config/encryption"
require_relative "config/environment"
require_relative "config/given"
require_relative "config/hosts"
require_relative "config/network"
require_relative "config/options"
require_relative "config/passfile"
require_relative "config/service"
require_relative "config/uri"
require_relative "config/value"

module Trunkline
  # Where to connect, with which role, and all other options that are known before the first byte is sent. Keywords override the connection string,
  # that overrides the service file, that the PG* variables, and these the defaults. An empty value hides lower levels and means the default. Frozen;
  # shows no secret.
  class Config
    include Encryption
    include Network

    # @return [Array<Symbol>] the names of libpq's options
    def self.option_names = Options.names.map(&:to_sym)

    # @param conninfo [String] a URI, or keywords and values
    # @return [Hash{String => String}] its own options, by libpq's names
    # @raise [ConfigError] it is malformed, or contains an unknown option
    def self.parse(conninfo) = Given.new(conninfo, {}, {}, service: false).texts # :nodoc:

    # @param given [Array<Symbol>] names of options that a caller has given
    # @param others [Array<Symbol>] keywords that are not options of a connection
    # @raise [ConfigError] one is unknown; the message contains its name here, if known
    def self.check_names(given, others) = Options.check_names(given.map(&:to_s), others.map(&:to_s)) # :nodoc:

    # @param config [Config]
    # @return [Config] it
    # @raise [TypeError] it is something else, such as the String that {Trunkline.postgres} takes
    def self.check(config) # :nodoc:
      return config if config.is_a?(Config)

      raise TypeError, "Client.new takes a Config, not #{Argument.class_of(config)}: call Trunkline.postgres, which takes a URI and keywords"
    end

    # @return [Array<Host>] in the order in which they were given
    attr_reader :hosts

    # @return [String]
    def user = @values["user"]

    # @return [String]
    def dbname = @values["dbname"]

    # @return [String, nil] the name of the sessions in the server's list and log; by default, the program's name
    def application_name = @values["application_name"]

    # @return [String] UTF8
    def client_encoding = @values["client_encoding"]

    # @return [Hash{String => String}] parameters in the startup message, besides those of every session
    attr_reader :session

    # @return [Hash{String => String}] those of them that are omitted if a pooler refuses them
    attr_reader :dispensable

    # @return [Symbol, nil] the configured kind of pooler: :session, each client keeps its server session; :transaction, each transaction may get
    #   another one; nil: not configured
    def pooler = @values["pooler"]&.to_sym

    # @return [Config, nil] of session_url:, the address for statements that need a persistent server session
    attr_reader :direct

    # @return [Integer, true, nil] connections for all processes together; true: as many as the server accepts; nil: each process has its own limit
    def fleet = @values["fleet"]

    # @return [String, nil] the password file, which need not exist
    def passfile = @values["passfile"]

    # @return [String, nil] name of the service whose options were read; see libpq's pg_service.conf
    def service = @values["service"]

    # @return [String] "host:port/dbname", or with several hosts "host:port,host:port/dbname", for messages
    attr_reader :server

    # @param conninfo [String, nil] a URI (postgres://, postgresql://) or keywords and values, as libpq reads them
    # @param env [Hash{String => String}, ENV] where the PG* variables are read
    # @param session [Hash{String => String}] parameters for the startup message, besides those of every session
    # @param dispensable [Hash{String => String}] further ones, which are omitted if a pooler refuses them
    # @param keywords [Hash{Symbol => Object}] libpq's options: host, hostaddr, port, user, dbname, connect_timeout (seconds), ... password is a
    #   String, or an object with `call` that returns one for each connection; nil counts as not given
    # @raise [ConfigError] an option is malformed, unknown or not supported
    def initialize(conninfo = nil, env: ENV, session: {}, dispensable: {}, **keywords)
      given = Given.new(conninfo, env, keywords)
      parameters = Environment.session(env)
      @sources = { **given.sources, **parameters.transform_values(&:last) }.freeze
      @values = completed(Options::TABLE.transform_values { |option| given.value(option) }, Defaults.home(env)).freeze
      check_encryption
      @dispensable = checked(dispensable).freeze
      @session = { "options" => @values["options"], "application_name" => application_name,
                   **parameters.transform_values(&:first), **@dispensable, **checked(session) }.compact.freeze
      @hosts = Hosts.new(*@values.values_at("host", "hostaddr", "port")) { |name, what| refuse(name, what) }.list(dbname)
      @server = "#{hosts.join(",")}/#{dbname}".freeze
      @others = hosts.size > 1
      url = @values["session_url"]
      @direct = Config.new(url, env: env, session: session, dispensable: dispensable, **given.beside(url)) if url
      freeze
    end

    # @return [String] of the first host
    def host = hosts.first.host

    # @return [String, nil] of the first host
    def hostaddr = hosts.first.hostaddr

    # @return [Integer] of the first host
    def port = hosts.first.port

    # The password for one connection: calls the callable if one was given, and reads the password file if nothing was.
    #
    # @param host [Host] to connect to
    # @return [String, nil]
    # @raise [ConfigError] the callable returns neither a String nor nil, or others may read the password file
    def password(host = hosts.first)
      given = @values["password"]
      return Passfile.new(passfile).password(host, dbname, user) unless given
      return given unless given.respond_to?(:call)

      Value.text("password", given.call, "returned by its callable")
    end

    # @param host [Host] one of these
    # @return [Config] the same for that host alone, whatever its role
    def at(host) = dup.restricted_to(host, "any", others: false) # :nodoc:

    # @param host [Host] one of these
    # @return [Config] the same for that host alone, as a standby; other hosts may replace it
    def replica_at(host) = dup.restricted_to(host, "standby", others: true) # :nodoc:

    # @return [Config] the same, for connections to the primary
    # @raise [ConfigError] target_session_attrs requires another kind of server
    def for_primary # :nodoc:
      return self if %w[primary read-write].include?(target_session_attrs)

      refuse("target_session_attrs", "with replicas: true db.query goes to the primary") unless target_session_attrs == "any"
      dup.with_target("primary").freeze
    end

    # @return [Boolean] whether there are other hosts, so that a silent one is not waited for without limit
    def others? = @others # :nodoc:

    # @return [Boolean] whether a host's name is looked up, which may resolve to another server the next time
    def named? = hosts.any?(&:named?) # :nodoc:

    # @return [Boolean] whether each new connection queries the identity of its server, as it may differ from the last one's
    def identify_servers? = hosts.size > 1 || target_session_attrs != "any" # :nodoc:

    # @param name [Symbol, String] an option, or TimeZone, DateStyle or geqo
    # @return [String] the source of its value: "keyword", "connection string", the name of a service and its file, the
    #   name of a variable, the name of the password file, or "default"
    # @raise [ConfigError] others may read the password file
    def source(name)
      name = name.to_s
      return passfile if name == "password" && !@values["password"] && password

      name = "fallback_application_name" if name == "application_name" && !@sources.key?(name)
      @sources.fetch(name, "default")
    end

    # @return [String] every option that was given, and its source; secrets are hidden
    def inspect
      shown = { "host" => @hosts.map(&:host), "port" => @hosts.map(&:port), "user" => user, "dbname" => dbname }
      ((@sources.keys & Options::TABLE.keys) - shown.keys).each { |name| shown[name] = @values[name] }
      "#<#{self.class} #{shown.map { |name, value| "#{name}=#{show(name, value)} (#{source(name)})" }.join(", ")}>"
    end

    # @raise [TypeError] always: a copy in a file or another process would contain the passwords
    def marshal_dump = raise(TypeError, "a #{self.class} holds passwords, and is not to be dumped")

    # For YAML; as {#marshal_dump}.
    def encode_with(_coder) = marshal_dump

    protected

    # Restricts a copy to one host.
    def restricted_to(host, attrs, others:)
      @hosts = [host].freeze
      @server = host.server
      @others = others
      with_target(attrs).freeze
    end

    # Changes target_session_attrs of a copy.
    def with_target(attrs)
      @values = { **@values, "target_session_attrs" => attrs }.freeze
      self
    end

    private

    SECRETS = %w[password sslpassword session_url].freeze
    private_constant :SECRETS

    # @return [Hash{String => Object}] the same, with defaults that depend on other options and on the machine
    def completed(values, home)
      values["user"] ||= Defaults.user.freeze
      values["dbname"] ||= values["user"]
      values["application_name"] ||= values["fallback_application_name"] || Defaults.program_name
      values["passfile"] ||= "#{home}/.pgpass".freeze if home
      complete_encryption(values, home)
    end

    # In the startup message, a NUL would begin another parameter.
    def checked(session)
      session.compact.to_h { |name, value| [Value.text("a parameter's name", name, "session"), Value.text(name, value, "session")] }
    end

    def show(name, value)
      return "[hidden]" if SECRETS.include?(name)

      value.is_a?(Array) ? value.join(",").inspect : value.inspect
    end

    def refuse(name, what)
      Value.bad(name, source(name), what)
    end
  end
end
