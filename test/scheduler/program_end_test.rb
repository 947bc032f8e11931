# frozen_string_literal: true

require "suites"
require "support/children"

# A program that ends without closing its client ends at once, says nothing, and leaves no session.
class ProgramEndTest < Trunkline::TestCase
  include DatabaseHelpers
  include Children

  PROGRAMS = {
    after_a_query: 'DB.query("SELECT 1")',
    with_futures_on_their_way: '3.times { DB.async("SELECT pg_sleep(0.2)") }',
    with_threads_that_wait: '8.times { Thread.new { DB.query("SELECT pg_sleep(2)") } }; DB.query("SELECT 1")',
    in_a_transaction: 'DB.transaction { |tx| tx.query("SELECT 1"); exit }',
    within_an_event_loop: 'require "async"; Sync { DB.query("SELECT 1") }',
    after_event_loops_in_threads: 'require "async"; 8.times.map { Thread.new { Sync { DB.query("SELECT 1") } } }.each(&:join)',
    with_a_forked_child: 'DB.query("SELECT 1"); Process.wait(fork { DB.query("SELECT 1") }); DB.query("SELECT 1")',
    with_a_child_that_never_asks: 'DB.query("SELECT 1"); Process.wait(fork { GC.start }); DB.query("SELECT 1")',
    after_losing_the_client: 'DB.query("SELECT 1"); Object.send(:remove_const, :DB); GC.start'
  }.freeze

  PROGRAMS.each do |name, source|
    define_method(:"test_#{name}") do
      application_name = unique_name
      output, status = run_program(<<~RUBY, postgres_server.uri, application_name)
        DB = Trunkline.postgres(ARGV[0], connections: 2, application_name: ARGV[1])
        #{source}
        puts "done"
      RUBY
      assert_equal [source.include?("exit") ? "" : "done\n", true], [output, status.success?]
      assert_no_sessions(application_name)
    end
  end

  def test_interrupted_by_a_signal
    output, status = run_program(<<~RUBY, postgres_server.uri)
      db = Trunkline.postgres(ARGV[0])
      threads = Array.new(4) { Thread.new { db.query("SELECT pg_sleep(20)") } }
      threads.each { |thread| thread.report_on_exception = false }
      db.query("SELECT 1")
      trap("TERM") { exit 3 }
      Process.kill(:TERM, Process.pid)
      db.query("SELECT pg_sleep(20)")
    RUBY
    assert_equal ["", 3], [output, status.exitstatus]
  end
end
