# frozen_string_literal: true

require "test_helper"
require "pg"
require_relative "../../bench/support/server_cpu"

class PostgresServerTest < Trunkline::TestCase
  def test_takes_settings
    with_server(settings: { "work_mem" => "7MB" }) { |server| assert_equal "7MB\n", server.psql("SHOW work_mem") }
  end

  def test_takes_rules_of_authentication
    with_server(hba: "local all postgres trust\n") do |server|
      server.psql("CREATE ROLE ada LOGIN")
      _, errors, = Open3.capture3(Trunkline::Bench::PostgresBinaries.path("psql"), server.uri(user: "ada"), "-c", "SELECT 1")
      assert_match(/no pg_hba.conf entry/, errors)
    end
  end

  def test_has_its_data_again_after_a_stop
    with_server do |server|
      server.psql("CREATE TABLE kept AS SELECT 42 AS answer")
      server.stop
      assert_equal "42\n", server.start.psql("SELECT answer FROM kept")
    end
  end

  def test_a_setting_that_does_not_exist_is_an_error_with_the_log
    error = assert_raises(RuntimeError) { Trunkline::Bench::PostgresServer.start(settings: { "nonsense" => "1" }) }
    assert_match(/unrecognized configuration parameter "nonsense"/, error.message)
  end

  def test_its_version_and_a_database_that_is_in_use
    assert_operator postgres_server.version, :>=, 12
    postgres_server.psql("CREATE DATABASE in_use")
    connection = PG.connect(postgres_server.uri(dbname: "in_use"))
    postgres_server.drop_database("in_use")
    assert_raises(PG::Error) { connection.exec("SELECT 1") }
    postgres_server.drop_database("in_use")
  ensure
    connection&.close
  end

  def test_the_folder_of_a_server
    binaries = Trunkline::Bench::PostgresBinaries
    output, status = Open3.capture2e({ "TRUNKLINE_POSTGRES" => "/nowhere" }, RbConfig.ruby, "-r", File.expand_path("../../bench/support/servers/postgres_binaries", __dir__),
                                     "-e", "Trunkline::Bench::PostgresBinaries.path('psql')")
    refute_predicate status, :success?
    assert_match(/TRUNKLINE_POSTGRES is \/nowhere, which has no initdb and no postgres/, output)
    own = File.dirname(binaries.path("postgres"))
    output, = Open3.capture2({ "TRUNKLINE_POSTGRES" => own }, RbConfig.ruby, "-r", File.expand_path("../../bench/support/servers/postgres_binaries", __dir__),
                             "-e", "puts Trunkline::Bench::PostgresBinaries.path('initdb')")
    assert_equal "#{own}/initdb\n", output
  end

  def test_wrong_sql_is_an_error
    error = assert_raises(RuntimeError) { postgres_server.psql("SELEC") }
    assert_match(/syntax error/, error.message)
  end

  def test_answers_over_tcp_too
    output, = Open3.capture2(Trunkline::Bench::PostgresBinaries.path("psql"), postgres_server.tcp_uri, "-Atc", "SELECT 1")
    assert_equal "1\n", output
  end

  # Backends that have ended count too: psql is gone by the time of the second look.
  def test_its_processor_time_grows_with_its_work
    with_server do |server|
      before = Trunkline::Bench::ServerCpu.seconds(server.pid)
      server.psql("SELECT count(*) FROM generate_series(1, 1000000)")
      assert_operator Trunkline::Bench::ServerCpu.seconds(server.pid), :>, before
    end
  end
end
