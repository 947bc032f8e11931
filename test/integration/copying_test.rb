# frozen_string_literal: true

require "test_helper"
require "support/children"
require "support/database_helpers"
require "support/gate_proxy"

# COPY of more rows than a process should hold.
class CopyingTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  ROWS = 1_000_000
  # Bytes by which a process may grow that holds a portion of them and their garbage; all of them take more than twice as much.
  GROWTH = 64 * 1024 * 1024
  private_constant :ROWS, :GROWTH

  # What was not written yet of the data is dropped by the server, and what the session has made is still there.
  def test_a_copy_that_is_refused_while_its_data_is_written_keeps_its_connection
    GateProxy.open(postgres_server) do |proxy|
      connection = Trunkline::PG.connect(proxy.uri)
      connection.exec("CREATE TEMP TABLE refused (n int)")
      connection.exec("COPY refused FROM STDIN")
      connection.put_copy_data("x\n")
      proxy.await_messages(:answers, "E", 1)
      connection.put_copy_data("1\n" * 8_000_000)
      connection.put_copy_end
      assert_equal "22P02", connection.get_result.error_field(Trunkline::PG::PG_DIAG_SQLSTATE)
      assert_equal [["0"]], connection.exec("SELECT count(*) FROM refused").values
    ensure
      connection&.close
    end
  end

  def test_a_million_rows_in_little_memory
    with_table("id int, name text") do |table|
      output, status = run_program(<<~RUBY, postgres_server.uri, table, ROWS.to_s)
        uri, table, rows = ARGV
        resident = -> { File.read("/proc/self/status")[/VmHWM:\\s+(\\d+)/, 1].to_i * 1024 }
        Trunkline.postgres(uri) do |db|
          copied = lambda do |count|
            stored = db.copy_in("COPY \#{table} FROM STDIN") { |copy| count.times { |id| copy << [id, "a name of some forty characters, number \#{id}"] } }
            sum = 0
            taken = db.copy_out("COPY \#{table} TO STDOUT") { |id, name| sum += id if name.end_with?(id.to_s) }
            [stored, taken, sum]
          end
          copied.call(20_000)
          db.query("TRUNCATE \#{table}")
          before = resident.call
          p [*copied.call(rows.to_i), resident.call - before]
        end
      RUBY
      assert_predicate status, :success?, output
      stored, taken, sum, grown = output.scan(/\d+/).map(&:to_i)
      assert_equal [ROWS, ROWS, ROWS * (ROWS - 1) / 2], [stored, taken, sum]
      assert_operator grown, :<, GROWTH
    end
  end
  # The protocol has no place for it there: nothing of the script is sent, and the connection stays.
  def test_a_copy_within_a_script
    with_table("a int") do |table|
      Trunkline.postgres(postgres_server.uri, connections: 1) do |db|
        ["COPY #{table} FROM STDIN", "SELECT 1; copy (SELECT 1) to /* here */ stdout; SELECT 2", "INSERT INTO #{table} VALUES (1);; COPY #{table} (a) FROM STDIN WITH (FORMAT csv)"].each do |script|
          error = assert_raises(ArgumentError, script) { db.execute_script(script) }
          assert_match(/\Aa script cannot run copy.*copy_in or copy_out/i, error.message)
        end
        db.transaction do |transaction|
          process = transaction.value("SELECT pg_backend_pid()")
          assert_raises(ArgumentError) { transaction.execute_script("COPY #{table} FROM STDIN") }
          assert_equal [process], transaction.column("SELECT pg_backend_pid()")
        end
        assert_equal ["COPY t FROM STDIN"], db.execute_script("SELECT 'COPY t FROM STDIN'; COMMENT ON TABLE #{table} IS 'COPY'").first.column
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

end
