# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

module Trunkline
  class ConfigTest < TestCase
    def config(conninfo = nil, env: {}, **keywords) = Config.new(conninfo, env: env, **keywords)

    def assert_refused(message, conninfo = nil, **options)
      assert_equal message, assert_raises(ConfigError) { config(conninfo, **options) }.message
    end

    def test_the_defaults
      user = Etc.getpwuid(Process.euid).name
      defaults = config

      assert_equal [5432, user, user], [defaults.port, defaults.user, defaults.dbname]
      assert_equal [nil, nil, 10.0], [defaults.hostaddr, defaults.password, defaults.connect_timeout]
      assert_equal [Config.const_get(:Defaults).program_name, "default"], [defaults.application_name, defaults.source(:application_name)]
    end

    # What is no option may be the rest of a password.
    def test_an_unknown_name_in_a_string_is_not_shown
      ["host=x password=correct hunter2=x", "postgres://u@h/d?password=a&hunter2=b"].each do |string|
        assert_refused "unknown connection option (connection string)", string
      end
      assert_refused "unknown connection option, did you mean host? (connection string)", "hosd=x"
      assert_refused 'unknown connection option "hosd", did you mean host? (keyword)', hosd: "x"
      assert_refused 'unknown connection option "databse", did you mean dbname? (keyword)', databse: "x"
      assert_refused 'unknown connection option "pool": use connections: (that queries share) and max_connections: (in all) (keyword)', pool: 5
    end

    def test_it_is_not_dumped
      assert_raises(TypeError) { Marshal.dump(config(password: "hunter2")) }
    end

    # It would begin another parameter in the message that starts a session.
    def test_parameters_of_the_session_hold_no_nul
      assert_refused "search_path holds a NUL character (session)", session: { "search_path" => "a\0role\0postgres" }
      assert_refused "a parameter's name holds a NUL character (session)", session: { "a\0role" => "postgres" }
    end

    def test_keywords_win_over_the_string_over_the_environment
      env = { "PGHOST" => "e", "PGPORT" => "1", "PGUSER" => "e", "PGDATABASE" => "e" }
      mixed = config("host=s port=2 user=s", env: env, host: "k", port: 3)

      assert_equal ["k", 3, "s", "e"], [mixed.host, mixed.port, mixed.user, mixed.dbname]
      assert_equal ["keyword", "keyword", "connection string", "PGDATABASE", "default"],
                   [mixed.source(:host), mixed.source("port"), mixed.source(:user), mixed.source(:dbname), mixed.source(:password)]
    end

    def test_nil_is_not_given_and_empty_hides_what_is_below
      env = { "PGPORT" => "1", "PGAPPNAME" => "env" }

      assert_equal 1, config(env: env, port: nil).port
      assert_equal 5432, config("port=''", env: env).port
      assert_equal ["env", "own", $PROGRAM_NAME[0, 3]],
                   [config(env: env), config(env: env, application_name: "own"), config(env: env, application_name: "")].map { |it| it.application_name[0, 3] }
      assert_equal "default", config("port=''", env: env).source(:port)
    end

    def test_an_empty_string_is_none
      assert_equal 5432, config("").port
      assert_equal "h", config("  ", host: "h").host
    end

    def test_the_user_names_the_database
      assert_equal "ann", config("user=ann").dbname
    end

    def test_a_fallback_for_the_application_name
      assert_equal %w[f PGAPPNAME], [config("fallback_application_name=f").application_name,
                                     config("fallback_application_name=f", env: { "PGAPPNAME" => "a" }).source(:application_name)]
      assert_equal "connection string", config("fallback_application_name=f").source(:application_name)
      assert_equal "a", config("fallback_application_name=f application_name=a").application_name
    end

    def test_unix_sockets
      assert_equal "/tmp/.s.PGSQL.6000", config(host: "/tmp", port: 6000).hosts.first.socket_path
      assert_predicate config(host: "/tmp").hosts.first, :unix_socket?
      assert_predicate config(host: "@abstract").hosts.first, :unix_socket?
      refute_predicate config(host: "localhost").hosts.first, :unix_socket?
      refute_predicate config(host: "/tmp", hostaddr: "127.0.0.1").hosts.first, :unix_socket?
    end

    def test_the_address_is_the_host_where_there_is_no_other
      assert_equal "10.0.0.1", config(hostaddr: "10.0.0.1").host
      assert_equal "db", config(hostaddr: "10.0.0.1", host: "db").host
    end

    def test_ports
      assert_equal 65_535, config(port: 65_535).port
      assert_equal 8, config("port=' 08'").port
      [0, 65_536, -1, "x", "5432x", 1.5, "0x10"].each do |port|
        assert_refused "port must be a number from 1 to 65535 (keyword)", port: port
      end
    end

    def test_timeouts
      assert_equal 0.5, config(connect_timeout: 0.5).connect_timeout
      assert_equal 3.0, config("connect_timeout=3").connect_timeout
      assert_nil config(env: { "PGCONNECT_TIMEOUT" => "0" }).connect_timeout
      assert_nil config(connect_timeout: -1).connect_timeout
      ["soon", Float::NAN, Float::INFINITY, :"1", Complex(1, 1)].each do |timeout|
        assert_refused "connect_timeout must be a number of seconds (keyword)", connect_timeout: timeout
      end
    end

    def test_numbers
      assert_equal [30, nil, nil], config("keepalives_idle=' 30 ' keepalives_count=0 keepalives_interval=-1")
        .then { |it| [it.keepalives_idle, it.keepalives_count, it.keepalives_interval] }
      assert_equal 5, config(tcp_user_timeout: 5).tcp_user_timeout
      ["1s", "0x1", 1.5, 1 << 31].each { |bad| assert_refused "tcp_user_timeout must be a whole number (keyword)", tcp_user_timeout: bad }
    end

    def test_switches
      assert_equal [true, false, false, true], [{}, { keepalives: false }, { keepalives: 0 }, { keepalives: "1" }]
        .map { |keywords| config(**keywords).keepalives }
      assert_refused "keepalives must be 1 or 0 (connection string)", "keepalives=yes"
    end

    def test_words
      assert_equal "read-only", config("target_session_attrs=Read-Only").target_session_attrs
      assert_equal "prefer-standby", config(target_session_attrs: :"prefer-standby").target_session_attrs
      assert_refused "load_balance_hosts must be disable or random (connection string)", "load_balance_hosts=on"
    end

    def test_the_encoding_is_utf8
      %w[UTF8 utf-8 Unicode].each { |name| assert_equal "UTF8", config(client_encoding: name).client_encoding }
      assert_refused "client_encoding must be UTF8: that is what strings are sent and read in (PGCLIENTENCODING)",
                     env: { "PGCLIENTENCODING" => "LATIN1" }
    end

    def test_the_encoding_of_the_locale
      { Encoding::UTF_8 => "UTF8", Encoding::US_ASCII => "UTF8" }.each do |locale, name|
        assert_equal name, Encoding.stub(:find, locale) { config("client_encoding=auto").client_encoding }
      end
      Encoding.stub(:find, Encoding::ISO_8859_1) { assert_raises(ConfigError) { config("client_encoding=auto") } }
    end

    def test_an_address_is_no_name
      assert_refused "hostaddr must be an IP address (a name belongs into host) (keyword)", hostaddr: "db.example"
      assert_equal "::1", config(hostaddr: "::1").hostaddr
    end

    def test_the_password_may_be_requested_every_time
      passwords = %w[one two]
      rotating = config(password: -> { passwords.shift })

      assert_equal ["one", "two", nil], Array.new(3) { rotating.password }
      assert_equal "keyword", rotating.source(:password)
    end

    def test_a_callable_that_returns_nonsense
      error = assert_raises(ConfigError) { config(password: -> { 42 }).password }

      assert_equal "password must be a String, not Integer (returned by its callable)", error.message
    end

    def test_what_texts_may_be
      assert_equal "é", config(user: "é".encode("ISO-8859-1")).user
      assert_equal "app", config(dbname: :app).dbname
      assert_equal "\xFF", config(password: "\xFF".b).password
      assert_equal "\xFF".b, config(password: "\xFF".dup.force_encoding("US-ASCII")).password
      assert_refused "user must be a String, not Integer (keyword)", user: 5
      assert_refused "dbname holds a NUL character (keyword)", dbname: "a\0b"
      assert_refused "the connection string must be a String, not Hash: write options as keywords, as in postgres(host: \"db\", dbname: \"app\"), or **hash", { host: "h" }
    end

    def test_several_hosts
      assert_equal %w[a:1 b:2], config("postgres://a:1,b:2/d").hosts.map(&:to_s)
      assert_equal %w[a:5 [::1]:5], config(host: ["a", "::1"], port: 5).hosts.map(&:to_s)
      assert_equal %w[a:5432 b:7], config("host=a,b port=,7").hosts.map(&:to_s)
      assert_equal [["a", "10.0.0.1"], ["10.0.0.2", "10.0.0.2"]],
                   config("host=a, hostaddr=10.0.0.1,10.0.0.2").hosts.map { |host| [host.host, host.hostaddr] }
      assert_equal "a:1,b:2/d", config("postgres://a:1,b:2/d").server
    end

    def test_lists_that_do_not_match
      assert_refused "hostaddr lists 1 addresses, and host 2 names (PGHOSTADDR)", "host=a,b", env: { "PGHOSTADDR" => "10.0.0.1" }
      assert_refused "port lists 3 ports for 2 hosts (connection string)", "host=a,b port=1,2,3"
      assert_refused "port lists 2 ports for 1 host (keyword)", port: "1,2"
      assert_refused "port must be a number from 1 to 65535 (connection string)", "host=a,b port=1,x"
    end

    def test_it_is_frozen_and_so_is_what_it_holds
      frozen = config("host=h user=u password=p dbname=d application_name=a")

      assert_predicate frozen, :frozen?
      %i[host user password dbname application_name server].each { |name| assert_predicate frozen.public_send(name), :frozen? }
    end

    def test_inspect_shows_everything_but_the_password
      shown = config("host=h password=s3cret", env: { "PGPORT" => "1" }, user: "u").inspect

      assert_equal '#<Trunkline::Config host="h" (connection string), port="1" (PGPORT), user="u" (keyword), ' \
                   'dbname="u" (default), password=[hidden] (connection string)>', shown
      refute_includes config(password: -> { "s3cret" }).inspect, "Proc"
      refute_includes config.inspect, "password"
      refute_includes config("gssencmode=disable").inspect, "gss"
    end

    def test_the_label_of_the_server
      assert_equal "h:1/d", config("postgres://u:s3cret@h:1/d").server
      assert_equal "[::1]:5432/d", config(host: "::1", dbname: "d").server
      assert_equal "/tmp:5432/d", config(host: "/tmp", dbname: "d").server
    end

    def test_huge_input_gets_a_short_answer
      filler = "x" * 200_000
      ["a#{filler}", "#{filler}=1", "port=#{filler}", "password='#{filler}", "port=#{"," * 200_000}", "postgres://[#{filler}",
       "postgres://a #{" " * 200_000}b", "postgres://h/%#{filler}", "sslmode=#{filler}"].each do |bad|
        message = assert_raises(ConfigError) { config(bad) }.message
        assert_operator message.size, :<, 300, message[0, 300]
      end
    end

    def test_no_message_shows_a_misplaced_password
      ["postgres://u:s3/cret@h/d", "postgres://u:s3cret/x@h/d", "postgres://u:x@s3cret@h", "postgres://u:s3cret%@h",
       "host=h password=a s3cret", "password='s3cret", "host=h s3cret", "postgres://h/d?s3cret", "postgres://h:s3cret/d"].each do |bad|
        refute_match(/s3|cret/, assert_raises(ConfigError, bad) { config(bad) }.message)
      end
    end
  end
end
