# frozen_string_literal: true

require "test_helper"
require "etc"
require "json"
require "minitest/mock"
require "socket"
require "support/children"
require "tmpdir"

# Where a process tells what its clients do.
class StatsSocketTest < Trunkline::TestCase
  include Children

  def test_a_client_that_connects_is_told
    with_client do |db|
      db.value("SELECT 1")
      opened(db) do |socket|
        told = ask(socket)
        assert_equal Process.pid, told["pid"]
        assert_equal [1, [{ "sql" => "SELECT 1", "count" => 1 }]],
                     [told["clients"][0]["requests"], told["clients"][0]["statements"].map { |statement| statement.slice("sql", "count") }]
        db.value("SELECT 1")
        assert_equal 2, ask(socket)["clients"][0]["requests"]
      end
    end
  end

  def test_several_clients
    with_client do |db|
      Trunkline.memcached("127.0.0.1:1", "127.0.0.1:2") do |cache|
        opened(db, cache) do |socket|
          assert_equal [db.stats[:server], "127.0.0.1:1", "127.0.0.1:2"], ask(socket)["clients"].map { |client| client["server"] }
        end
      end
    end
  end

  def test_no_other_user_may_look
    with_client do |db|
      opened(db) do |socket|
        assert_equal [0o600, 0o700], [socket.path, File.dirname(socket.path)].map { |path| File.stat(path).mode & 0o777 }
      end
    end
  end

  def test_a_folder_that_others_may_enter_is_refused
    Dir.mktmpdir do |folder|
      File.chmod(0o755, folder)
      with_client do |db|
        error = assert_raises(Trunkline::ConfigError) { Trunkline::StatsSocket.open(db, folder: folder) }
        assert_match(/mode 0700/, error.message)
      end
      assert_empty Dir.children(folder)
    end
  end

  # The user that has made the link may lead it elsewhere at any time.
  def test_a_link_to_a_folder_is_refused
    Dir.mktmpdir do |folder|
      own = File.join(folder, "own").tap { |path| Dir.mkdir(path, 0o700) }
      link = File.join(folder, "link").tap { |path| File.symlink(own, path) }
      dangling = File.join(folder, "dangling").tap { |path| File.symlink(File.join(folder, "nothing"), path) }
      with_client do |db|
        [link, dangling].each { |path| assert_raises(Trunkline::ConfigError) { Trunkline::StatsSocket.open(db, folder: path) } }
      end
      assert_empty Dir.children(own)
    end
  end

  # Any user may make a folder among the temporary files, or a link, before this user does.
  def test_a_name_that_another_user_has_taken
    Dir.mktmpdir do |folder|
      stranger = Process.euid + 1 # a user that does not own what this test makes
      usual = File.join(folder, "trunkline-#{stranger}")
      home = Struct.new(:dir).new(File.join(folder, "home"))
      chosen = -> { Dir.stub(:tmpdir, folder) { Process.stub(:euid, stranger) { Etc.stub(:getpwuid, home) { Trunkline::StatsSocket.folder } } } }
      assert_equal usual, chosen.call
      File.symlink(folder, usual)
      assert_equal "#{folder}/home/.trunkline", chosen.call
      with_client { |db| opened(db, folder: chosen.call) { |socket| assert_equal Process.pid, ask(socket)["pid"] } }
      Etc.stub(:getpwuid, ->(*) { raise ArgumentError }) { assert_equal usual, Dir.stub(:tmpdir, folder) { Process.stub(:euid, stranger) { Trunkline::StatsSocket.folder } } }
    end
  end

  def test_what_is_no_client_is_refused
    with_client do |db|
      assert_raises(ArgumentError) { Trunkline::StatsSocket.open }
      assert_match(/these are none: String/, assert_raises(ArgumentError) { Trunkline::StatsSocket.open(db, "db") }.message)
    end
  end

  def test_a_client_that_hangs_up_harms_no_other
    with_client do |db|
      opened(db) do |socket|
        10.times { UNIXSocket.new(socket.path).close }
        assert_equal Process.pid, ask(socket)["pid"]
      end
    end
  end

  def test_closed_it_is_gone
    with_client do |db|
      path = opened(db) do |socket|
        2.times { socket.close }
        socket.path
      end
      refute_path_exists path
    end
  end

  def test_what_an_earlier_process_has_left_is_replaced
    Dir.mktmpdir do |folder|
      UNIXServer.new(File.join(folder, "#{Process.pid}.sock")).close
      with_client { |db| opened(db, folder: folder) { |socket| assert_equal Process.pid, ask(socket)["pid"] } }
    end
  end

  def test_a_forked_child_has_one_of_its_own
    with_client do |db|
      opened(db) do |socket|
        pids = in_child do
          socket.close
          own = Trunkline::StatsSocket.open(db, folder: File.dirname(socket.path))
          [ask(own)["pid"], Process.pid]
        end
        assert_equal 1, pids.uniq.size
        refute_includes pids, Process.pid
        assert_equal Process.pid, ask(socket)["pid"]
      end
    end
  end

  private

  def opened(*clients, folder: nil)
    return Dir.mktmpdir { |made| opened(*clients, folder: made) { |socket| yield socket } } unless folder

    socket = Trunkline::StatsSocket.open(*clients, folder: folder)
    yield socket
  ensure
    socket&.close
  end

  def ask(socket) = JSON.parse(UNIXSocket.open(socket.path, &:read))
end
