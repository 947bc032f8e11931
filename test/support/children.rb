# frozen_string_literal: true

require "open3"
require "rbconfig"

# Other processes: forked children and separate programs.
module Children
  LIBRARY = File.expand_path("../../lib", __dir__)
  PATIENCE = 60 # seconds

  # Runs the block in a forked child, which then exits at once, without at_exit.
  #
  # @return what the block returns there, marshalled; a message when it has raised
  def in_child
    reader, writer = IO.pipe
    pid = Process.fork do
      reader.close
      writer << Marshal.dump(outcome { yield })
      writer.close
    ensure
      exit!(0)
    end
    writer.close
    read_all(reader, pid)
  end

  # @return [String, nil] the class of what the block raises
  def error_of
    yield
    nil
  rescue StandardError => error
    error.class.name
  end

  # Runs a program that has required the gem, in a separate Ruby.
  #
  # @param environment [Hash{String => String}] variables besides this process's
  # @return [Array(String, Process::Status)] everything it has printed, and how it ended
  def run_program(source, *arguments, environment: {})
    command = [RbConfig.ruby, "-w", "-I#{LIBRARY}", "-rbundler/setup", "-rtrunkline", "-", *arguments]
    Thread.new { Open3.capture2e({ "RUBYOPT" => nil, **environment }, *command, stdin_data: "# encoding: UTF-8\n#{source}") }.value
  end

  private

  def outcome
    yield
  rescue StandardError => error
    error.full_message(highlight: false)
  end

  def read_all(reader, pid)
    Thread.new do
      hung = reader.wait_readable(PATIENCE).nil?
      Process.kill(:KILL, pid) if hung
      bytes = reader.read
      Process.wait(pid)
      next "the child #{hung ? "hangs" : "died"}" if bytes.empty?

      Marshal.load(bytes)
    end.value
  end
end
