# frozen_string_literal: true

module Shared
  # What a single query, or a light client, can be told. The test includes a host.
  module Options
    include Gated

    def test_an_option_that_does_not_exist
      in_host_with_client do |db|
        [db, db.with(deadline: 60)].each do |asker|
          %i[query first value async].each do |verb|
            message = assert_raises(ArgumentError) { asker.public_send(verb, "SELECT 1", deadlin: 1) }.message
            assert_match(/\Aunknown keyword: :deadlin, did you mean deadline:\? \(there are deadline:, .*\): .* #{verb}\(sql, \{ deadlin: value \}\), .* #{verb}\(sql, value\)\z/, message)
          end
        end
        assert_raises(ArgumentError) { db.with(deadlin: 1) }
        assert_raises(ArgumentError) { db.with(keys: :strings) }
      end
    end

    def test_a_hash_is_a_parameter
      in_host_with_client do |db|
        assert_equal [{ "a" => 1 }] * 3, [db.value("SELECT $1::jsonb", { "a" => 1 }), db.first("SELECT $1::jsonb AS j", { "a" => 1 })["j"],
                                          db.value("SELECT $1::jsonb", { "a" => 1 }, deadline: 60)]
        assert_equal({ "deadline" => 1 }, db.value("SELECT $1::jsonb", { deadline: 1 }))
      end
    end

    def test_a_light_client
      in_host_with_client do |db|
        light = db.with(keys: :symbol, deadline: 60, idempotent: true)
        assert_equal [{ one: 1 }, 1, [[1]], { one: 1 }],
                     [light.first("SELECT 1 AS one"), light.value("SELECT 1"), light.query("SELECT 1").rows, light.async("SELECT 1 AS one").value.first]
        assert_equal({ "one" => 1 }, db.first("SELECT 1 AS one"))
        assert_equal({ one: 1 }, db.with(keys: :symbol) { |block| block.first("SELECT 1 AS one") })
        assert_equal({ "one" => 1 }, light.with(keys: :string).first("SELECT 1 AS one"))
      end
    end

    def test_a_light_clients_deadline
      gated do |db, proxy|
        light = db.with(deadline: 0.02)
        proxy.hold(:answers)
        %i[query first value].each { |verb| assert_raises(Trunkline::Deadline, verb) { light.public_send(verb, "SELECT 1") } }
        assert_raises(Trunkline::Deadline) { light.async("SELECT 1").value }
        assert_raises(Trunkline::Deadline) { light.with(keys: :symbol).query("SELECT 1") }
        patient = later { light.value("SELECT 1", deadline: nil) }
        proxy.release(:answers)
        assert_equal 1, patient.value
      end
    end

    def test_a_light_clients_transaction
      in_host_with_client do |db|
        light = db.with(keys: :symbol)
        light.transaction do |tx|
          assert_equal({ one: 1 }, tx.first("SELECT 1 AS one"))
          assert_equal tx.value("SELECT pg_backend_pid()"), light.value("SELECT pg_backend_pid()")
          assert_equal({ "one" => 1 }, tx.with(keys: :string).first("SELECT 1 AS one"))
          tx.transaction { |inner| assert_equal({ one: 1 }, inner.first("SELECT 1 AS one")) }
        end
        assert_equal({ one: 1 }, light.session { |session| session.first("SELECT 1 AS one") })
      end
    end

    # Lost before the answer: an idempotent query gets its answer from another connection.
    def test_what_may_be_run_twice_is_sent_again
      gated do |db, proxy|
        harmless, once = in_flight(proxy, -> { db.value("SELECT $1::int", 1, idempotent: true) }, -> { ask(db, 2) })
        proxy.disconnect
        assert_kind_of Trunkline::Indeterminate, once.error
        proxy.release(:answers)
        assert_equal 1, harmless.value
      end
    end

    def test_but_not_within_a_session
      gated do |db, proxy|
        db.session do |session|
          ask(session, 1)
          caller, = in_flight(proxy, -> { session.query("SELECT 1", idempotent: true) })
          proxy.disconnect
          assert_kind_of Trunkline::Indeterminate, caller.error
        end
      end
    end
  end
end
