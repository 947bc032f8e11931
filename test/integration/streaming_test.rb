# frozen_string_literal: true

require "test_helper"
require "support/children"
require "support/database_helpers"

# Streams that are forgotten, and long ones.
class StreamingTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  ENDLESS = "SELECT generate_series(1, 100000000) AS number"
  private_constant :ENDLESS

  # A thread that has ended leaves nothing on its stack for the collector to find.
  def test_enumerators_that_are_forgotten_give_their_connections_back
    with_client(connections: 1, max_connections: 6) do |db|
      firsts = Thread.new { Array.new(5) { db.stream(ENDLESS).next["number"] } }.value
      assert_equal [1] * 5, firsts
      assert eventually { GC.start || db.inspect.include?("pinned=0") }, db.inspect
      assert_equal 1, db.session { |session| session.value("SELECT 1") }
    end
  end

  # A caller that waits for a connection in vain is told what holds it.
  def test_an_enumerator_that_was_not_read_to_its_end
    with_client(connections: 1, max_connections: 2, max_wait: 0.05) do |db|
      stream = db.stream(ENDLESS)
      stream.next
      error = assert_raises(Trunkline::Overloaded) { db.session { |session| session.value("SELECT 1") } }
      assert_match(/1 held: 1 by a stream's Enumerator on which next was called \(the first for/, error.message)
      assert_equal({ "number" => 2 }, stream.next)
    end
  end

  # One after the other asks the same Enumerator; in the middle of a stream over a session, no other request gets in between.
  def test_a_stream_of_two_fibers
    with_client do |db|
      stream = db.stream(ENDLESS)
      assert_equal [1, 2, 3], Array.new(3) { Fiber.new { stream.next["number"] }.resume }
      db.session do |session|
        session.stream(ENDLESS) do |row|
          assert_no_request_gets_in(session) if row["number"] == 1
          break if row["number"] == 5000
        end
        assert_equal 1, session.value("SELECT 1")
      end
    end
  end

  def test_a_program_that_ends_in_the_middle_of_a_stream
    output, status = run_program(<<~RUBY, postgres_server.uri)
      stream = Trunkline.postgres(ARGV.first).stream("#{ENDLESS}")
      print stream.next["number"]
    RUBY
    assert_equal ["1", true], [output, status.success?]
  end

  def test_an_enumerator_of_another_thread
    with_client do |db|
      stream = db.stream(ENDLESS)
      assert_equal({ "number" => 1 }, stream.next)
      assert_raises(FiberError) { Thread.new { stream.next }.tap { |thread| thread.report_on_exception = false }.value }
      assert_equal({ "number" => 2 }, stream.next)
    end
  end

  # What is read stays small, whatever comes.
  def test_what_is_not_taken_stays_with_the_server
    name = unique_name
    with_client(application_name: name) do |db|
      db.stream("SELECT repeat('x', 1000) FROM generate_series(1, 100000)") { break assert_waits(name, "ClientWrite") }
    end
  end

  private

  def assert_no_request_gets_in(session)
    [-> { session.query("SELECT 1") }, -> { session.stream(ENDLESS).first }, -> { session.copy_out("COPY (SELECT 1) TO STDOUT") { flunk } }].each do |ask|
      [-> { Fiber.new(&ask).resume }, -> { Thread.new(&ask).tap { |thread| thread.report_on_exception = false }.value }].each do |other|
        assert_match(/in the middle of a stream or COPY/, assert_raises(Trunkline::SharedStateError, &other).message)
      end
    end
  end
end
