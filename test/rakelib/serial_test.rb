# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/serial"

# A short form of rake serial.
class SerialTest < Trunkline::TestCase
  SEED = 7
  # A setting that the server does not report, and that nothing in the statement betrays.
  LEAKING = "CREATE FUNCTION leaking() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('x.y', 'left', false); END $$"
  # Whether a caller meets it in one round depends on which connections are opened when.
  ROUNDS = 20
  private_constant :SEED, :LEAKING, :ROUNDS

  def test_each_caller_is_told_what_it_would_be_told_alone
    with_server do |server|
      server.psql(SerialUnits::SCHEMA)
      serial = Serial.new(server, seed: SEED)
      [true, false].each { |threads| serial.round(threads: threads, disturbed: threads) }
      assert_empty serial.wrong
      assert_operator serial.counts[:right], :>, 300, serial.counts
      assert_predicate serial.counts[:interrupted], :positive?
    end
  end

  def test_what_is_left_for_others_is_seen
    with_server do |server|
      server.psql("#{SerialUnits::SCHEMA}; #{LEAKING}")
      serial = Serial.new(server, seed: SEED, probes: [["SELECT public.leaking()"]] * 3)
      seen = /current_setting\('x\.y', true\).*\n.*\n.*left/
      ROUNDS.times { serial.round(threads: false, disturbed: false) unless seen.match?(serial.wrong.join("\n")) }
      assert_match(seen, serial.wrong.join("\n"))
    end
  end
end
