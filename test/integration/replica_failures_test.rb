# frozen_string_literal: true

require "test_helper"
require "support/gate_proxy"
require "support/replica_servers"

module Trunkline
  # Replicas that die, come back, and change their roles, under reads.
  class ReplicaFailuresTest < TestCase
    include ReplicaServers

    READERS = 8
    private_constant :READERS

    # A server that takes an address as a host.
    Address = Struct.new(:socket_directory, :port)
    private_constant :Address

    # Every read has its answer, whatever it was sent to.
    def test_replicas_that_go_and_come_back_under_load
      primary, standbys = ReplicaServers.shared.to_a
      GateProxy.open(standbys.first) do |one|
        GateProxy.open(standbys.last) do |other|
          proxies = [one, other]
          replicated_client(primary, proxies.map { |proxy| Address.new(proxy.host, proxy.port) }, connections: 2) do |db|
            reading(db) do |answered|
              proxies.each do |proxy|
                go_away(proxy)
                goes_on(answered)
                proxy.refuse(false)
                assert eventually { served(db, proxy) { goes_on(answered) } }, "it is used again"
              end
              proxies.each { |proxy| go_away(proxy) }
              goes_on(answered)
              assert_equal primary.port, port_of(db.replica)
              assert_match(/the server closed the connection/, assert_raises(NoReplica) { db.replica(fallback: false).value("SELECT 1") }.message)
            end
          end
        end
      end
    end

    # The read is in flight when the server process is killed: it was sent, so what is no read would be Indeterminate.
    def test_a_read_whose_connection_is_killed_is_sent_again
      with_replicas(connections: 1) do |db, _, standbys|
        killed = answer = nil
        [0.3, 3, 30].each do |seconds| # on a busy machine it may be answered before its process is killed, or before that ends
          killed = nil
          future = db.replica.async("SELECT pg_sleep(#{seconds}), current_setting('port')::int AS port")
          killed = standbys.find { |standby| standby.psql(kill("SELECT pg_sleep%")).include?("t") } until killed || future.wait(0.001)
          answer = future.value.first["port"]
          break if killed && killed.port != answer
        end
        assert killed
        refute_equal killed.port, answer, "by another replica"
      end
    end

    def test_a_promoted_standby_takes_no_reads_of_replicas_and_the_other_one_is_left
      with_own_replicas do |db, primary, standbys|
        4.times { db.replica.value("SELECT 1") }
        token = db.position
        promote(standbys.first, primary)
        assert eventually { standbys.first.psql("SELECT pg_is_in_recovery()") == "f\n" }
        primary.stop
        assert_equal standbys.first.port, eventually { attempt { port_of(db) } }
        assert eventually { Array.new(10) { port_of(db.replica) }.uniq == [standbys.last.port] }
        assert_equal standbys.last.port, port_of(db.replica(after: token)), "which is on the timeline of the position still"
        assert_equal standbys.first.port, port_of(db.replica(after: db.position)), "a position of the new timeline means the primary"
      end
    end

    # It was promoted, and follows another primary by now, on another timeline. All reads come after a position.
    def test_a_host_that_was_a_primary_takes_reads_after_a_position_again
      with_replicas do |db, _, standbys|
        replica = db.__send__(:readers).set.replicas.first
        assert eventually { port_of(db.replica) == standbys.first.port }
        { standby: false, timeline: 7 }.each { |name, value| replica.instance_variable_set(:"@#{name}", value) }
        replica.retire
        replica.instance_variable_set(:@resume_at, 0.0)
        reads = db.replica(after: db.position)
        assert eventually { port_of(reads) == standbys.first.port }
      end
    end

    def test_a_forked_child_reads_over_connections_of_its_own
      with_replicas(connections: 1) do |db, _, standbys|
        4.times { db.replica.value("SELECT 1") }
        reader, writer = IO.pipe
        child = fork do
          writer.puts([port_of(db.replica), db.replica.value("SELECT pg_backend_pid()")].inspect)
          writer.close
          exit!(0)
        end
        writer.close
        port, = eval(reader.read) # rubocop:disable Security/Eval
        Process.wait(child)
        assert_includes standbys.map(&:port), port
        assert_includes standbys.map(&:port), port_of(db.replica)
      end
    end

    def test_deadlines_and_a_closed_client
      with_replicas do |db,|
        assert_raises(Deadline) { db.replica.value("SELECT pg_sleep(5)", deadline: 0.1) }
        assert_raises(Deadline) { Trunkline.deadline(0.1) { db.replica.value("SELECT pg_sleep(5)") } }
        db.replica.value("SELECT 1")
        db.disconnect
        assert_equal 1, db.replica.value("SELECT 1")
        db.close
        assert_raises(Closed) { db.replica.value("SELECT 1") }
        assert_equal 0, db.connection_count
      end
    end

    private

    # Counts answers, each of which is right, until the block is left.
    def reading(db)
      answered = Array.new(READERS, 0)
      stop = false
      readers = Array.new(READERS) do |number|
        Thread.new { (db.replica.value("SELECT $1::int", number) == number ? answered[number] += 1 : raise("another's answer")) until stop }
      end
      yield answered
    ensure
      stop = true
      readers.each { |reader| reader.join(30) or raise "a reader hangs" }
    end

    # Each reader has had some answers more.
    def goes_on(answered)
      before = answered.dup
      assert eventually { answered.zip(before).all? { |now, then_| now > then_ + 3 } }, "all readers go on"
    end

    def go_away(proxy)
      proxy.refuse
      proxy.disconnect
    end

    def served(db, proxy)
      figures = -> { db.stats[:replicas].find { |replica| replica[:server].include?(":#{proxy.port}/") }[:reads] }
      before = figures.call
      yield
      figures.call > before
    end

    def attempt
      yield
    rescue Error
      nil
    end

    def kill(text) = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '#{text}' AND pid <> pg_backend_pid() AND state = 'active'"
  end
end
