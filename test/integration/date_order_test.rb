# frozen_string_literal: true

require "suites"
require "active_record"
require "trunkline/active_record/registration"
require "sequel"
require "support/pgbouncer"

# The order of day and month is the one that the server, the database or the role has, as it is for other clients that connect.
class DateOrderTest < Trunkline::TestCase
  include DatabaseHelpers

  # With what the pg gem makes of 01/02/03.
  STYLES = { "ISO, DMY" => "2003-02-01", "ISO, YMD" => "2001-02-03", "ISO, MDY" => "2003-01-02", "German, DMY" => "2003-02-01", "SQL, YMD" => "2001-02-03" }.freeze
  QUESTION = "SELECT '01/02/03'::date - '2000-01-01'::date"
  EPOCH = Date.new(2000, 1, 1)
  private_constant :STYLES, :QUESTION, :EPOCH

  STYLES.each do |style, date|
    name = style.downcase.delete(", ")

    define_method("test_of_a_role_with_#{name}") do
      with_role(style) do |role|
        uri = postgres_server.uri(user: role)
        assert_equal [date] * 4, [by_libpq_of(role), by_client(uri), by_sequel(role), by_active_record(role)]
      end
    end

    # It stays when the connection has been a session's, and what is read is ISO.
    define_method("test_of_a_database_through_pgbouncer_with_#{name}") do
      with_database(style) do |database|
        PgBouncer.open(postgres_server, pool: 2) do |pooler|
          [postgres_server.uri(dbname: database), pooler.uri.sub(%r{/postgres\z}, "/#{database}")].each { |uri| assert_equal date, by_client(uri) }
        end
      end
    end
  end

  private

  def with_role(style)
    role = "dates_#{SecureRandom.hex(6)}"
    # Twice as many as there are at once: a session that was closed counts until its process is gone.
    psql("CREATE ROLE #{role} LOGIN CONNECTION LIMIT 8; ALTER ROLE #{role} SET DateStyle = '#{style}'")
    yield role
  ensure
    psql("DROP ROLE #{role}")
  end

  def with_database(style)
    name = "dates_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    psql("ALTER DATABASE #{name} SET DateStyle = '#{style}'")
    yield name
  ensure
    drop_database(name)
  end

  def by_libpq_of(role)
    connection = PG.connect(postgres_server.uri(user: role))
    day(connection.exec(QUESTION).getvalue(0, 0).to_i)
  ensure
    connection&.close
  end

  def by_client(uri)
    Trunkline.postgres(uri, connections: 1, max_connections: 2, prepare: !uri.include?("127.0.0.1")) do |db|
      answers = [db.value(QUESTION), db.transaction { |tx| tx.query("SET LOCAL work_mem = '5MB'") && tx.value(QUESTION) }, db.value(QUESTION)]
      assert_equal [1, Date.new(2024, 2, 1)], [answers.uniq.size, db.value("SELECT '2024-02-01'::date")]
      day(answers.first)
    end
  end

  def by_sequel(role)
    db = Sequel.connect(postgres_server.uri(user: role).sub(/\A\w+:/, "trunkline:"), keep_reference: false)
    day(db.get(Sequel.lit(QUESTION.delete_prefix("SELECT "))))
  ensure
    db&.disconnect
  end

  def by_active_record(role)
    ActiveRecord::Base.establish_connection(adapter: "trunkline", host: postgres_server.socket_directory, port: postgres_server.port, username: role,
                                            database: "postgres", server_connections: 1)
    day(ActiveRecord::Base.connection.select_value(QUESTION))
  ensure
    ActiveRecord::Base.remove_connection
  end

  def day(number) = (EPOCH + number).iso8601
end
