# frozen_string_literal: true

require "test_helper"
require "socket"
require "stringio"
require "tmpdir"
require "trunkline/cli/command"

# What `trunkline top` shows.
class TopTest < Trunkline::TestCase
  def setup
    super
    @folder = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@folder)
    super
  end

  def test_a_process
    with_socket do |db|
      db.value("SELECT 1 AS before")
      status, out, err = top("--once", "--interval", "0.01")
      assert_equal [0, ""], [status, err]
      assert_match(/\Atrunkline top: process #{Process.pid}, the last \d+\.\d s$/, out)
      assert_includes out, "connections 1 (0 busy, 0 pinned, 0 opening)   in flight 0"
      assert_equal 0, top("--once", "--interval", "0.01", Process.pid.to_s).first
    end
  end

  def test_no_server_is_there
    [[], [Process.pid.to_s]].each do |arguments|
      status, out, err = top("--once", *arguments)
      assert_equal [1, ""], [status, out]
      assert_match(/opened a Trunkline::StatsSocket in #{@folder}/, err)
    end
  end

  def test_what_a_killed_process_has_left
    left = File.join(@folder, "1.sock")
    UNIXServer.new(left).close
    assert_equal 1, top("--once").first
    refute_path_exists left
  end

  def test_several_processes
    with_socket do
      UNIXServer.open(File.join(@folder, "1.sock")) do
        status, _, err = top("--once")
        assert_equal 1, status
        assert_includes err, "say which: 1, #{Process.pid}"
      end
    end
  end

  def test_one_that_does_not_answer
    UNIXServer.open(File.join(@folder, "7.sock")) do
      processes = Trunkline::CLI::Top::ProcessList.new(@folder, timeout: 0.01)
      assert_equal "process 7 does not answer: it is stopped, or too busy",
                   assert_raises(Trunkline::CLI::Top::ProcessList::NotFound) { processes.fetch(7) }.message
    end
  end

  def test_nonsense
    assert_equal 2, top("--interval", "0").first
    assert_equal 2, top("--interval", "soon").first
    assert_equal [2, "", "trunkline: PID is the number of a process, not one\nTry `trunkline --help`.\n"], top("one")
  end

  # As `trunkline top | head` does: each screen goes out at once, and the end of the reader is the end of the program.
  def test_a_reader_that_has_read_enough
    with_socket do
      reading, writing = IO.pipe
      command = Trunkline::CLI::Command.new(out: writing, err: $stderr)
      shown = Thread.new { command.run(["top", "--folder", @folder, "--interval", "0.01"]) }
      assert_match(/\Atrunkline top: process/, reading.gets)
      reading.close
      assert_equal 0, shown.value
    ensure
      writing&.close
    end
  end

  def test_wide_characters_take_two_columns
    wide = "SELECT '#{"語" * 100}' AS \"e\u0301\""
    screen = Trunkline::CLI::Top::Screen.new(100, 20).lines(look(at: 1.0, statements: []), look(at: 2.0, statements: [statement(wide, 1), statement("SELECT '語'", 1)]))
    assert_equal [100, 100], (screen[-3..-2].map { |line| line.size + line.count("語") })
  end

  def test_rates_are_what_happened_meanwhile
    screen = lines(look(at: 10.0, requests: 100, writes: 50, reads: 20, statements: [statement("SELECT 1", 100)]),
                   look(at: 12.0, requests: 300, writes: 75, reads: 30, statements: [statement("SELECT 1", 300), statement("SELECT 2", 4)]))
    assert_equal "trunkline top: process 1, the last 2.0 s", screen[0]
    assert_includes screen[4], "requests 100/s   8.0 a write   20.0 a read"
    assert_match(/\A  SELECT 1 +100   2\.0 ms   9\.0 ms   500 us     25 %     0\.20\z/, screen[6])
    assert_match(/\A  SELECT 2 +2\.0 /, screen[7])
  end

  def test_what_comes_from_elsewhere_does_not_steer_the_terminal
    sql = "SELECT\n  '\e[2J\u0007'"
    screen = lines(look(at: 1.0, statements: []), look(at: 2.0, statements: [statement(sql, 1)]))
    assert_match(/\A  SELECT '\?\[2J\?' /, screen[6])
  end

  def test_no_more_than_the_terminal_has_room_for
    statements = (1..50).map { |number| statement("SELECT #{number}, #{"x" * 300}", 1) }
    screen = Trunkline::CLI::Top::Screen.new(80, 20).lines(look(at: 1.0, statements: []), look(at: 2.0, statements: statements))
    assert_equal [20, true], [screen.size, screen.all? { |line| line.size <= 80 }]
  end

  # 132 columns have all facts of a kind on one line, 100 and 60 on as many as it takes.
  def test_facts_are_on_the_next_line_where_there_is_no_room
    looks = [look(at: 1.0, statements: []), look(at: 2.0, statements: [statement("SELECT 1", 1)])]
    told = [132, 100, 60].to_h { |width| [width, Trunkline::CLI::Top::Screen.new(width, 50).lines(*looks)] }
    told.each { |width, lines| assert_operator lines.map(&:size).max, :<=, [width, 76].max }
    assert_equal 1, told.values.map { |lines| lines.join(" ")[/connections.*quarantined \d+/].gsub(/ +/, " ") }.uniq.size
    assert_operator told[132].size, :<, told[100].size
  end

  # A terminal that has no size, as a container's, and what is no terminal.
  def test_a_terminal_of_no_size
    with_socket do
      [[0, 0], [0, 80], [40, 120]].each do |size|
        out = StringIO.new
        out.define_singleton_method(:tty?) { true }
        out.define_singleton_method(:winsize) { size }
        Trunkline::CLI::Top.new(folder: @folder, interval: 0.01, once: true).show(out)
        assert_match(/\Atrunkline top: process \d+.*connections.*quarantined \d+/m, out.string)
      end
    end
  end

  def test_a_client_without_statements
    screen = lines(look(at: 1.0, statements: nil), look(at: 2.0, statements: nil))
    assert_equal ["there", ""], [screen[2], screen.last]
  end

  private

  def top(*arguments)
    out = StringIO.new
    err = StringIO.new
    [Trunkline::CLI::Command.new(out: out, err: err).run(["top", "--folder", @folder, *arguments]), out.string, err.string]
  end

  def with_socket
    with_client do |db|
      socket = Trunkline::StatsSocket.open(db, folder: @folder)
      yield db
    ensure
      socket&.close
    end
  end

  def lines(before, now) = Trunkline::CLI::Top::Screen.new(132, 50).lines(before, now)

  def look(at:, statements:, **sums)
    client = { server: "there", open: 4, busy: 1, pinned: 0, opening: 0, in_flight: 3, backlog: 0.0123, queue: { to_share: 0, to_pin: 0 },
               requests: 0, writes: 0, reads: 0, lost: 0, reconnects: 0, cancelled: 0, quarantined: 0, **sums }
    { pid: 1, at: at, clients: [statements ? { **client, statements: statements } : client] }
  end

  def statement(sql, count) = { sql: sql, count: count, mean: 0.002, p99: 0.009, wait: 0.0005, long: 0.25 }
end
