# frozen_string_literal: true

require "suites"
require "support/sharing/calls"

# A server is the oracle: whatever in fact changes its session must have been told before.
class CallPositionsTest < Trunkline::TestCase
  include DatabaseHelpers

  # So many take two seconds. CALLS=20000 tries more, and SEED others.
  COUNT = Integer(ENV.fetch("CALLS", 400))
  PROBE = <<~SQL
    SELECT coalesce(current_setting('x.y', true), '') <> '' OR coalesce(current_setting('app.z', true), '') <> ''
           OR EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid())
  SQL
  # At least so many of a hundred are right, and leave something behind: the others prove nothing. Before PostgreSQL 15 those with MERGE are not.
  TELLING = 35
  private_constant :COUNT, :PROBE, :TELLING

  def test_whatever_changes_the_session_does_not_share
    name = "calls_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    db = Trunkline.postgres(postgres_server.uri(dbname: name), session_functions: Sharing::Calls::OWN)
    db.execute_script("#{Sharing::Calls::SETUP} CREATE SEQUENCE serial START 10")
    calls = Sharing::Calls.new(Random.new(Minitest.seed))
    found = Array.new(COUNT) { calls.statement }.select { |sql| changes?(db, sql) }
    assert_equal [], found.select { |sql| %i[shareable alone].include?(db.classify(sql)) }
    assert_operator found.size * 100, :>=, COUNT * (postgres_server.version >= 15 ? TELLING : TELLING - 5)
  ensure
    db&.close
    postgres_server.drop_database(name)
  end

  private

  def changes?(db, sql)
    db.session do |session|
      session.execute_script(Sharing::Calls::RENEWAL) if sql.include?("altered")
      carry_out(session, sql)
      session.value(PROBE)
    end
  end

  # Many are wrong, in a type or in what may stand there: what they did before the server noticed counts all the same.
  def carry_out(session, sql)
    session.query(sql)
  rescue Trunkline::ServerError
    nil
  end
end
