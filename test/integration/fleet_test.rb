# frozen_string_literal: true

require "test_helper"
require "support/private_servers"
require "support/eventually"
require "pg"

# Processes that share a server's connections: real ones, on a server that takes thirty. What they do takes the server long and no processor, so that
# the number of connections alone decides what a process is answered.
class FleetTest < Trunkline::TestCase
  include Eventually

  MOST = 30
  RESERVED = 3
  # Of what is left for users, the tenth that first connections and others have.
  ALL = ((MOST - RESERVED) * 0.9).floor
  NAME = "a fleet"
  # Seconds in which answers are counted.
  MEASURED = 3
  # Seconds in which processes learn of others that have come or gone.
  LONGEST = 30
  PROGRAM = <<~'RUBY'
    require "trunkline"
    db = Trunkline.postgres(ARGV[0], application_name: "a fleet", connections: 8, max_connections: 8, fleet: ARGV[1] == "true" || Integer(ARGV[1]))
    answered = 0
    errors = Hash.new(0)
    going = true
    callers = Array.new(8) do |number|
      Thread.new do
        while going
          begin
            number.even? ? db.value("SELECT pg_sleep(0.05)") : db.transaction { |tx| tx.value("SELECT pg_sleep(0.05)") }
            answered += 1
          rescue Trunkline::Error => error
            errors[error.message] += 1
          end
        end
      end
    end
    Thread.new do
      while $stdin.gets
        answered, told = 0, answered
        puts "#{told} #{db.stats[:open]}"
        $stdout.flush
      end
      going = false
    end.join
    callers.each(&:join)
    puts errors.to_a.inspect
    db.close
  RUBY
  private_constant :MOST, :RESERVED, :ALL, :NAME, :MEASURED, :LONGEST, :PROGRAM

  # One process of the fleet.
  class Member
    def initialize(uri, fleet)
      @io = IO.popen([RbConfig.ruby, "-Ilib", "-e", PROGRAM, uri, fleet.to_s], "r+")
      @ended = false
    end

    # @return [Hash{Symbol => Integer}] requests answered since the last look, and connections that are open
    def look
      @io.puts
      %i[answered open].zip(@io.gets.split.map(&:to_i)).to_h
    end

    # @return [String] what callers have got for errors: "[]" for none
    def finish
      return if @ended

      @ended = true
      @io.close_write
      @io.read.strip
    ensure
      @io.close unless @io.closed?
    end
  end
  private_constant :Member

  def test_each_process_has_its_share_and_others_are_let_in
    with_fleet_server do |server, uri|
      members = Array.new(4) { Member.new(uri, true) }
      assert eventually { shares(members) == [ALL / 4] * 4 && processes(server) == 4 }
      sleep(MEASURED)
      counts = members.map { |member| member.look[:answered] }.sort
      assert_operator connections(server), :<=, ALL + 4
      PG.connect(uri).close
      assert_operator counts.first, :>=, counts[2] * 0.6, counts.inspect
    ensure
      assert_equal ["[]"] * 4, members.map(&:finish)
    end
  end

  # Nothing is left behind that counts: those that are there have more again.
  def test_shares_follow_those_that_come_and_go
    with_fleet_server do |server, uri|
      members = Array.new(2) { Member.new(uri, 12) }
      assert eventually { shares(members) == [6, 6] }
      members += Array.new(2) { Member.new(uri, 12) }
      followed = took { assert eventually { shares(members) == [3] * 4 }, shares(members).inspect }
      assert_equal ["[]"] * 2, members.shift(2).map(&:finish)
      followed += took { assert eventually { shares(members) == [6, 6] }, shares(members).inspect }
      assert_operator followed, :<, 2 * LONGEST
      assert_equal 2, processes(server)
    ensure
      assert_equal ["[]"] * members.size, members.map(&:finish)
    end
  end

  # A server that others have filled: what there is goes on, and no caller hears of it.
  def test_a_server_that_takes_no_more
    with_fleet_server do |server, uri|
      member = Member.new(uri, true)
      assert eventually { member.look[:open] == 8 }
      others = fill(uri)
      late = Member.new(uri, true)
      assert eventually { member.look[:open] <= 7 } # the first of those that are replaced is another's
      others.each(&:close)
      assert eventually { late.look[:answered].positive? && processes(server) == 2 }
      assert eventually { member.look[:open] == 8 }
    ensure
      others&.each { |other| other.close unless other.finished? }
      assert_equal ["[]"] * 2, [member, late].compact.map(&:finish)
    end
  end

  # All are replaced, one after the other, as a deployment does.
  def test_a_rolling_restart
    with_fleet_server do |server, uri|
      members = Array.new(3) { Member.new(uri, true) }
      assert eventually { processes(server) == 3 && shares(members).all?(2..) }
      3.times do
        members.push(Member.new(uri, true))
        assert eventually { members.last.look[:answered].positive? }
        assert_equal "[]", members.shift.finish
      end
      assert eventually { processes(server) == 3 && shares(members).all?(3..) }
    ensure
      assert_equal ["[]"] * 3, members.map(&:finish)
    end
  end

  def test_what_is_no_number_of_connections
    ["many", -1, 1.5].each { |fleet| assert_match(/fleet must be true, or a number/, assert_raises(Trunkline::ConfigError) { Trunkline.postgres(fleet: fleet) }.message) }
    assert_match(/do not go together/, assert_raises(ArgumentError) { Trunkline.postgres("postgres://h/d", fleet: true, group_commit: true) }.message)
    assert_nil Trunkline::Config.new("postgres://h/d?fleet=false").fleet
    assert_equal [40, true], [40, true].map { |fleet| Trunkline::Config.new("postgres://h/d?fleet=#{fleet}").fleet }
  end

  private

  # @yieldparam server [Bench::PostgresServer]
  # @yieldparam uri [String] of a role that has no connections reserved
  def with_fleet_server
    with_server(settings: { "max_connections" => MOST, "superuser_reserved_connections" => RESERVED, "max_wal_senders" => 0 }) do |server|
      server.psql("CREATE ROLE web LOGIN")
      yield server, server.uri(user: "web")
    end
  end

  # What the server takes more: a connection that has just been replaced may still be counted.
  #
  # @return [Array<PG::Connection>]
  def fill(uri)
    others = []
    loop { others << PG.connect(uri) }
  rescue PG::ConnectionBad
    others
  end

  def connections(server) = server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '#{NAME}%'").to_i
  def processes(server) = server.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{NAME}'").to_i
  def shares(members) = members.map { |member| member.look[:open] }

  def took
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end
end
