# frozen_string_literal: true

require "support/stopped_callers"

module Shared
  # A caller that is stopped at each place where the client waits, in each way that there is: what it leaves behind is in order
  # or closed, the neighbours go on, and the server has no transaction open. The test includes a host.
  module InterruptionSweep
    include Gated
    include StoppedCallers

    # Sessions that are in a transaction or at work, and the locks they have been left.
    OUT_OF_ORDER = <<~SQL
      SELECT (SELECT count(*) FROM pg_stat_activity WHERE application_name = '%<name>s' AND (xact_start IS NOT NULL OR state <> 'idle')) +
             (SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND application_name = '%<name>s')
    SQL
    private_constant :OUT_OF_ORDER

    def test_interrupted_while_connecting
      in_host do
        full_listener do |port|
          Trunkline.postgres("host=127.0.0.1 port=#{port} user=u") do |db|
            ways.each { |way| stop(way, -> { db.value("SELECT 1") }) }
            assert_match(/shared=0 pinned=0 spare=0 opening=0/, db.inspect)
          end
        end
      end
    end

    def test_interrupted_while_authenticating
      sweep do |db, proxy, way|
        proxy.disconnect
        before = proxy.messages(:requests)[:startup]
        proxy.hold(:answers)
        stop(way, -> { ask(db, 1) }) { proxy.await_messages(:requests, :startup, before + 1) }
      end
    end

    def test_interrupted_while_preparing
      sweep do |db, proxy, way|
        sql = "SELECT $1::int /* #{way} */"
        stop(way, -> { hold(proxy) && db.value(sql, 1) }) { await_units(proxy, 1) }
        proxy.release(:answers)
        assert_equal 2, db.value(sql, 2)
      end
    end

    def test_interrupted_while_flushing
      sweep do |db, proxy, way|
        proxy.stall
        stop(way, -> { db.value("SELECT length($1::text)", "x" * 4_000_000) })
        proxy.resume
      end
    end

    def test_interrupted_while_leading
      sweep do |db, proxy, way|
        followers = nil
        stop(way, -> { hold(proxy) && ask(db, 1) }) do
          await_units(proxy, 1)
          followers = followers_of(db, proxy, 1, [2, 3])
        end
        proxy.release(:answers)
        assert_equal [2, 3], followers.map(&:value)
      end
    end

    def test_interrupted_while_following
      sweep do |db, proxy, way|
        hold(proxy)
        leader, = followers_of(db, proxy, 0, [1])
        stop(way, -> { ask(db, 2) }) { await_units(proxy, 2) }
        last, = followers_of(db, proxy, 2, [3])
        proxy.release(:answers)
        assert_equal [1, 3], [leader.value, last.value]
      end
    end

    # The leader has its answer, and the newest of the others is to lead: that one is stopped before it has taken over, or after.
    def test_interrupted_while_the_lead_is_handed_over
      sweep do |db, proxy, way|
        hold(proxy)
        leader, middle = followers_of(db, proxy, 0, [1, 2])
        stop(way, -> { ask(db, 3) }) { await_units(proxy, 3) && proxy.release(:answers, units: 1) && leader.value }
        proxy.release(:answers)
        assert_equal 2, middle.value
      end
    end

    def test_interrupted_in_the_queue_for_a_session
      sweep do |db, _proxy, way|
        held, ended = Thread::Queue.new, Thread::Queue.new
        holder = later { db.session { |session| ask(session, 1) && held.push(true) && ended.pop && ask(session, 2) } }
        held.pop
        stop(way, -> { db.session { |session| ask(session, 3) } })
        next_in_line = later { db.session { |session| ask(session, 4) } }
        ended << true
        assert_equal [2, 4], [holder.value, next_in_line.value]
      end
    end

    # Nothing is in flight: the connection is good for the next.
    def test_interrupted_within_the_block_of_a_transaction
      sweep do |db, _proxy, way, table|
        pid = db.transaction { |tx| tx.value("SELECT pg_backend_pid()") }
        reached = Thread::Queue.new
        stop(way, -> { db.transaction { |tx| insert(tx, table) && reached.push(true) && Thread::Queue.new.pop } }) { reached.pop }
        assert_equal [0, pid], [db.value("SELECT count(*) FROM #{table}"), db.transaction { |tx| tx.value("SELECT pg_backend_pid()") }]
      end
    end

    def test_interrupted_in_a_transaction
      sweep do |db, proxy, way, table|
        stop(way, -> { db.transaction { |tx| insert(tx, table) && hold(proxy) && ask(tx, 1) } }) { await_units(proxy, 1) }
        proxy.release(:answers)
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end

    # The server has committed, as it was asked to; the caller was not told.
    def test_interrupted_while_committing
      sweep do |db, proxy, way, table|
        KNOWN_AFTER.times { db.transaction { |tx| ask(tx, 0) } } # a COMMIT that may be a long one is cancelled at once, also before the server has begun it
        before = db.value("SELECT count(*) FROM #{table}")
        stop(way, -> { db.transaction { |tx| insert(tx, table) && hold(proxy) } }) { await_units(proxy, 1) }
        proxy.release(:answers)
        assert eventually { db.value("SELECT count(*) FROM #{table}") == before + 1 }
      end
    end

    def test_interrupted_while_a_session_is_set_back
      sweep do |db, proxy, way|
        locking = -> { db.session { |session| session.query("SELECT pg_advisory_lock(1)") && hold(proxy) } }
        stop(way, locking) { await_units(proxy, 1, of: "Q") }
      end
    end

    private

    # One round for each way of being stopped, with one client.
    #
    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldparam proxy [GateProxy]
    # @yieldparam way [Symbol]
    # @yieldparam table [String]
    def sweep
      with_table("number int") do |table|
        gated(application_name: name = unique_name) do |db, proxy|
          ways.each do |way|
            @held = Thread::Queue.new
            yield db, proxy, way, table
            proxy.release(:answers)
            assert_in_order(db, name)
          end
        end
      end
    end

    # Asks the client on every connection, and the server about all of them.
    def assert_in_order(db, name)
      assert_equal [7, 8], [ask(db, 7), db.transaction { |tx| ask(tx, 8) }]
      assert_equal [9] * 3, (side_by_side(1..3) { db.transaction { |tx| ask(tx, 9) } })
      assert_match(/pinned=0 .*opening=0/, db.inspect)
      assert eventually { psql(OUT_OF_ORDER % { name: name }) == ["0"] }
      assert_session_count(name, 2)
    end

    # From now on no answers come through, and units are counted.
    def hold(proxy)
      @before = proxy.messages(:requests)
      proxy.hold(:answers)
      @held << true
    end

    # Waits for {#hold}, and for so many units after that.
    def await_units(proxy, count, of: "S")
      @held << @held.pop
      proxy.await_messages(:requests, of, @before[of] + count)
      true
    end

    # @return [Array<Caller>] that ask behind so many
    def followers_of(db, proxy, count, tokens)
      tokens.map.with_index(count + 1) { |token, units| later { ask(db, token) }.tap { await_units(proxy, units) } }
    end

    def insert(client, table) = client.query("INSERT INTO #{table} VALUES (1)")

    # A port whose listener takes no connection any more: to connect there waits.
    def full_listener
      listener = Socket.new(:INET, :STREAM)
      listener.bind(Addrinfo.tcp("127.0.0.1", 0))
      listener.listen(0)
      port = listener.local_address.ip_port
      fillers = Array.new(2) { Socket.new(:INET, :STREAM).tap { |socket| socket.connect_nonblock(Addrinfo.tcp("127.0.0.1", port), exception: false) } }
      yield port
    ensure
      [listener, *fillers].each { |socket| socket&.close }
    end
  end
end
