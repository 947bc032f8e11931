# frozen_string_literal: true

require "test_helper"
require "support/children"
require "support/database_helpers"

# COPY of more rows than a process should hold.
class CopyingTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  ROWS = 1_000_000
  # Bytes by which a process may grow that holds a portion of them and their garbage; all of them take more than twice as much.
  GROWTH = 64 * 1024 * 1024
  private_constant :ROWS, :GROWTH

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
end
