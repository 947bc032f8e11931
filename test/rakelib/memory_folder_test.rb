# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "../../rakelib/memory_folder"

# A run's servers lie in memory where that has room, and where temporary files are otherwise.
class MemoryFolderTest < Trunkline::TestCase
  MEMORY = "/dev/shm"
  NAME = Trunkline::Bench::ServerFolders::NAME
  PROGRAM = <<~RUBY
    trap("INT", "DEFAULT")
    require #{File.expand_path("../../rakelib/memory_folder", __dir__).inspect}
    require #{File.expand_path("../../bench/support/servers/keeper", __dir__).inspect}
    $stdout.sync = true
    puts ENV[#{NAME.inspect}] = MemoryFolder.new(room: 1).folder
    puts Trunkline::Bench::Keeper.instance.folder
    $stdin.read
  RUBY
  private_constant :MEMORY, :NAME, :PROGRAM

  def test_there_is_none_where_it_would_not_be_in_memory
    assert_nil MemoryFolder.new(place: "/there/is/none", room: 1).folder
    assert_nil MemoryFolder.new(place: "/sys", room: 1).folder
    assert_nil MemoryFolder.new(place: "/proc", room: 0).folder, "no folder can be made there"
  end

  def test_there_is_none_without_room
    assert_nil MemoryFolder.new(room: 1 << 60).folder
  end

  def test_any_account_may_write_there
    in_memory
    memory = MemoryFolder.new(room: 1)
    assert_equal 0o1777, File.stat(memory.folder).mode & 0o7777
  ensure
    memory&.remove
    refute_path_exists memory.folder if memory
  end

  def test_servers_are_there_and_nothing_is_left_at_the_end
    in_memory
    folder, servers = folders { |_, input| input.close }
    assert_equal [MEMORY, folder], [folder, servers].map { |path| File.dirname(path) }
    refute_path_exists folder
  end

  def test_nothing_is_left_after_an_interrupt
    in_memory
    folder, = folders { |pid| Process.kill("INT", pid) }
    refute_path_exists folder
  end

  # It may be a folder on a disk, or one that only another root has.
  def test_servers_are_elsewhere_where_the_given_place_has_no_room
    ["/sys", "/there/is/none", ""].each do |given|
      assert_equal Dir.tmpdir, keeper_place(given), given
    end
  end

  private

  def in_memory
    skip "#{MEMORY} is not in memory here, or has no room" if Trunkline::Bench::ServerFolders.room(MEMORY) < 2 << 30
  end

  # @return [Array<String>] a memory folder, and its keeper's in it
  def folders
    Open3.popen2e(RbConfig.ruby, "-e", PROGRAM) do |input, output, thread|
      lines = Array.new(2) { output.gets.chomp }
      yield thread.pid, input
      thread.value
      lines
    end
  end

  def keeper_place(given)
    program = "require ARGV[0]; puts Trunkline::Bench::ServerFolders.place"
    Open3.capture2({ NAME => given }, RbConfig.ruby, "-e", program, File.expand_path("../../bench/support/servers/server_folders", __dir__)).first.chomp
  end
end
