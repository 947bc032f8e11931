# frozen_string_literal: true

# Linux's information about a process that does not respond (proc(5)): its threads, each with its state, processor time and system call, and its
# children. A thread that has Ruby's lock and waits in a system call shows the call and its descriptor; one that loops shows processor time.
class ProcessReport
  TICKS = 100.0 # of processor time in a second (getconf CLK_TCK; the same on every Linux of today)
  private_constant :TICKS

  # @param pid [Integer]
  # @param root [String] where proc is mounted
  def initialize(pid, root: "/proc")
    @pid = pid
    @root = root
  end

  # @return [String] a line for each thread, descriptor and child; empty where the system tells none
  def to_s = [*threads, *descriptors, *children].map { |line| "#{line}\n" }.join

  private

  def threads
    Dir["#{@root}/#{@pid}/task/*"].sort.map do |task|
      name, state, *times = fields(task)
      format("thread %s (%s): state %s, %.2f s of processor time, in %s, system call %s", File.basename(task), name, state,
             times.sum / TICKS, told("#{task}/wchan"), told("#{task}/syscall"))
    end
  end

  def descriptors = Dir["#{@root}/#{@pid}/fd/*"].map { |link| "descriptor #{File.basename(link)}: #{target(link)}" }

  def children
    Dir["#{@root}/[0-9]*"].select { |process| told("#{process}/status")[/^PPid:\s*(\d+)/, 1].to_i == @pid }.map do |process|
      "child #{File.basename(process)}: state #{fields(process)[1]}, #{told("#{process}/cmdline").tr("\0", " ").strip}"
    end
  end

  # Name, state, and the ticks of processor time in the program and in the system.
  def fields(process)
    _, name, rest = told("#{process}/stat").match(/\A\d+ \((.*)\) (.*)/m).to_a
    values = rest.to_s.split
    [name, values[0], values[11].to_i, values[12].to_i]
  end

  def target(link)
    File.readlink(link)
  rescue SystemCallError
    "?"
  end

  def told(file)
    File.read(file).strip
  rescue SystemCallError
    "?"
  end
end
