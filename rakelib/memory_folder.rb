# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../bench/support/servers/server_folders"

# A folder in memory for the private servers of a run, gone with this process. On a disk, the kernel has twice the work with the files that servers copy
# and write: a test with four servers takes 2.5 to 3.5 s of a processor in the system there, and 0.9 s in memory.
class MemoryFolder
  PLACE = "/dev/shm"
  # Bytes that have to be free there, and in memory: the servers of a run take 1.05 GB at most, and the processes of the tests 2 GB.
  ROOM = 6 << 30
  PATIENCE = 15 # seconds for the servers' keepers to end: a keeper kills a server that has not ended after five seconds
  MEMORY = "/proc/meminfo"
  private_constant :PLACE, :ROOM, :PATIENCE, :MEMORY

  # Names it in the environment, where the servers of this process and of its children look for it. Changes nothing where there is no room.
  def self.use = ENV[Trunkline::Bench::ServerFolders::NAME] ||= new.folder

  # @return [String, nil] nil: there is not enough memory for it, or this system has no such place
  attr_reader :folder

  # @param place [String] folder of a file system in memory
  # @param room [Integer] bytes that have to be free
  def initialize(place: PLACE, room: ROOM)
    @folder = make(place) if [Trunkline::Bench::ServerFolders.room(place), available].min >= room
    owner = Process.pid
    at_exit { remove if Process.pid == owner } if @folder
  end

  # Waits for the keepers, each of which removes its own folder in it, and removes what is left.
  def remove
    deadline = now + PATIENCE
    sleep 0.05 while occupied? && now < deadline
  ensure
    FileUtils.rm_rf(folder)
  end

  private

  def occupied? = File.directory?(folder) && !Dir.empty?(folder)

  # The servers run under another account.
  def make(place)
    Dir.mktmpdir("trunkline-run-", place).tap { |folder| File.chmod(0o1777, folder) }
  rescue SystemCallError
    nil
  end

  # @return [Integer] bytes of memory that processes can have
  def available
    File.read(MEMORY)[/^MemAvailable: +(\d+) kB/, 1].to_i * 1024
  rescue SystemCallError
    0
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
