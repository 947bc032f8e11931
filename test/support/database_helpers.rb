# frozen_string_literal: true

require "io/wait"
require "pg"
require "securerandom"
require_relative "eventually"

# What the suites need of the server, over other connections than those of the client under test.
module DatabaseHelpers
  include Eventually

  # Sessions of libpq's that are kept between statements: a new one takes nine milliseconds of the processors, and a statement a half. After a statement
  # that has not failed the session is as new.
  class KeptSessions
    @of_processes = {}
    @lock = Mutex.new

    # @param uri [String]
    # @return [KeptSessions] this process's of that server: a forked one has its own
    def self.of(uri) = @lock.synchronize { @of_processes[[Process.pid, uri]] ||= new(uri) }

    # @param uri [String]
    def initialize(uri)
      @uri = uri
      @idle = Thread::Queue.new
    end

    # @param sql [String] a statement
    # @return [Array<Array<String, nil>>] its rows
    def rows(sql)
      session = idle || PG.connect(@uri).tap { |one| one.set_notice_processor { |notice| notice } }
      rows = session.exec(sql).values
      session.exec("DISCARD ALL")
      session = @idle.push(session) && nil
      rows
    ensure
      session&.close
    end

    private

    # What has something to read has been ended.
    def idle
      until @idle.empty?
        session = @idle.pop(true)
        return session unless session.socket_io.wait_readable(0)

        session.close
      end
    rescue ThreadError
      nil # another thread has the last one
    end
  end
  private_constant :KeptSessions

  # Starts the shared server before any scheduler runs.
  def setup
    super
    postgres_server
  end

  # Runs SQL in a separate session, in a thread without a scheduler. A script is run by psql, statement by statement; a single one by libpq, which
  # spares a process.
  #
  # @return [Array<String>] the lines, as psql writes them
  def psql(sql)
    Thread.new { sql.include?(";") ? postgres_server.psql(sql).lines(chomp: true) : by_libpq(sql) }.value
  end

  # Removes a database of the test's own.
  def drop_database(name)
    Thread.new { postgres_server.drop_database(name) }.value
  end

  # The cases whose types the server has.
  #
  # @param cases [Hash, Array] whose keys or elements are SQL
  # @return [Hash, Array]
  def known_here(cases)
    postgres_server.version >= 14 ? cases : cases.reject { |sql, _| sql.include?("multirange") }
  end

  # A table for the block.
  #
  # @param columns [String] as in CREATE TABLE
  # @yieldparam name [String]
  def with_table(columns)
    name = "t#{SecureRandom.hex(6)}"
    psql("CREATE TABLE #{name} (#{columns})")
    yield name
  ensure
    psql("DROP TABLE #{name}")
  end

  # A function for the block that returns its number, and raises a notice of so many characters.
  #
  # @yieldparam name [String] for a call with number and size
  def with_noticing_function
    name = "noticed#{SecureRandom.hex(6)}"
    psql("CREATE FUNCTION #{name}(number int, size int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', repeat('x', size); RETURN number; END $$;")
    yield name
  ensure
    psql("DROP FUNCTION #{name} CASCADE")
  end

  # A function for the block that makes its session lose its prepared statements, without its name or text showing that.
  #
  # @yieldparam sql [String] which calls it
  def with_forgetting_function
    name = "forgetting#{SecureRandom.hex(6)}"
    psql("CREATE FUNCTION #{name}() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DEALLOCATE ALL; END $$;")
    yield "SELECT #{name}()"
  ensure
    psql("DROP FUNCTION #{name}")
  end

  # @return [String] an application_name that no other client has
  def unique_name
    "test-#{SecureRandom.hex(6)}"
  end

  # @return [Array<Integer>] the backends of the clients with this application_name
  def sessions(application_name)
    psql("SELECT pid FROM pg_stat_activity WHERE application_name = '#{application_name}'").map(&:to_i)
  end

  # @return [Boolean] whether the server works for a client with this application_name
  def works_for?(application_name)
    psql("SELECT 1 FROM pg_stat_activity WHERE application_name = '#{application_name}' AND state = 'active'").any?
  end

  # Waits until the server executes no query of a client with this application_name.
  #
  # @param db [Trunkline::Postgres::Client, nil] whose stats are printed if that does not come
  def assert_no_query_runs(application_name, db = nil)
    assert(eventually { !works_for?(application_name) }, -> { "the server still works:\n#{activity_of(application_name).join("\n")}\n#{db&.stats}" })
  end

  # @return [Array<String>]
  def activity_of(application_name)
    psql("SELECT pid, state, wait_event, now() - backend_start AS open, now() - query_start AS since, query FROM pg_stat_activity WHERE application_name = '#{application_name}'")
  end

  # Waits until a backend of the clients with this application_name waits for this event.
  #
  # @param event [String] as in pg_stat_activity
  def assert_waits(application_name, event)
    sql = "SELECT 1 FROM pg_stat_activity WHERE application_name = '#{application_name}' AND wait_event = '#{event}'"
    assert eventually { psql(sql).any? }, "no backend waits for #{event}"
  end

  # Waits until there are no more of them: one that has ended is listed until its server process is gone.
  #
  # @param most [Integer] sessions
  def assert_session_count(application_name, most)
    assert eventually { sessions(application_name).size <= most }, "sessions: #{sessions(application_name)}"
  end

  # Waits until they have ended: a server notices a closed socket only after a while.
  def assert_no_sessions(application_name)
    assert eventually { sessions(application_name).empty? }, "sessions are left: #{sessions(application_name)}"
  end

  private

  def by_libpq(sql) = KeptSessions.of(postgres_server.uri).rows(sql).map { |row| row.join("|") }
end
