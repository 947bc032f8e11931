# frozen_string_literal: true

require "test_helper"
require "pg"
require "support/server_pair"

module Trunkline
  # Lists of hosts beside libpq's: for each order of a primary, standbys, a primary whose sessions are read-only and a host where no server is, and
  # each kind of server that may be asked for, both connect to the same one, or to none. The second standby in a list is another one than the first.
  class LibpqHostsTest < TestCase
    include ServerPair

    KINDS = %w[any read-write read-only primary standby prefer-standby].freeze
    ANSWERS = 60 # seconds
    # Those of a list in a random order that may be connected to, by what is asked for.
    SUITABLE = {
      "any" => %i[primary standby other], "read-write" => %i[primary], "read-only" => %i[standby other], "primary" => %i[primary],
      "standby" => %i[standby other], "prefer-standby" => %i[standby other]
    }.freeze
    SEEDS = (1..12) # of random orders
    private_constant :KINDS, :ANSWERS, :SUITABLE, :SEEDS

    def test_each_list_of_two_and_three
      with_hosts do |hosts|
        lists = [1, 2, 3].flat_map { |size| (hosts.keys - [:other]).repeated_permutation(size).map { |names| two_standbys(names) } }
        differences = lists.product(KINDS).reject { |names, kind| libpq(list = list(hosts, names), kind) == ours(list, kind) }
        assert_equal [84, []], [lists.size, differences]
        each_that_suits_is_reached_in_a_random_order(hosts)
      end
    end

    private

    # A quarter of them at least, also where no server is at the first host: in each order the others follow by chance.
    def each_that_suits_is_reached_in_a_random_order(hosts)
      list = list(hosts, %i[none primary standby other])
      SUITABLE.each do |kind, suitable|
        reached = SEEDS.map { |seed| ours(list, kind, random: Random.new(seed), load_balance_hosts: "random") }.tally
        assert_equal hosts.values_at(*suitable).map(&:last).sort, reached.keys.sort, kind
        assert_operator reached.values.min * 4, :>=, SEEDS.size, kind
      end
    end

    def with_hosts
      with_pair do |primary, standby|
        other = Bench::PostgresServer.start_standby(primary)
        with_server(settings: { "default_transaction_read_only" => "on" }) do |read_only|
          yield({ primary: primary, standby: standby, other: other, read_only: read_only, none: nil }.transform_values { |server| place(server) })
        end
      ensure
        other&.discard
      end
    end

    def two_standbys(names)
      second = names.each_index.select { |index| names[index] == :standby }[1]
      names.each_with_index.map { |name, index| index == second ? :other : name }
    end

    def place(server) = server ? [server.socket_directory, server.port] : ["/nowhere", 1]

    def list(hosts, names) = hosts.values_at(*names).transpose.map { |values| values.join(",") }

    # @return [Integer, nil] the port of the server that it connects to
    def libpq((hosts, ports), kind)
      connection = ::PG.connect(host: hosts, port: ports, user: "postgres", dbname: "postgres", target_session_attrs: kind, connect_timeout: ANSWERS)
      connection.exec("SHOW port").getvalue(0, 0).to_i
    rescue ::PG::ConnectionBad
      nil
    ensure
      connection&.close
    end

    def ours((hosts, ports), kind, random: Random, **options)
      config = Config.new(host: hosts, port: ports, user: "postgres", dbname: "postgres", target_session_attrs: kind, connect_timeout: ANSWERS, **options)
      unhurried { Postgres.const_get(:Connector).new(config, random: random).connect }.then { |connection| connection.io.close || connection.server[/:(\d+)/, 1].to_i }
    rescue ConnectionError
      nil
    end
  end
end
