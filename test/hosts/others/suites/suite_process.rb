# frozen_string_literal: true

require "json"

# A process that runs tests of another project, until it ends by itself or falls silent.
class SuiteProcess
  KEPT = /\A(PATH|HOME|LD_LIBRARY_PATH|(GEM|BUNDLE|BUNDLER|RUBY)_?[A-Z_]*)\z/ # what a Ruby and its gems are found by
  private_constant :KEPT

  # @param command [Array<String>] a Ruby that requires the {SuiteJournal} before the tests
  # @param folder [String] to run it in
  # @param scratch [String] a folder for what it writes
  # @param environment [Hash{String => String}] beside what finds Ruby and its gems
  # @param left_out [Array<String>] names of tests that do not run, "Suite#test"
  # @param patience [Numeric] seconds in which it has to begin or end a test; it is ended otherwise
  def initialize(command, folder:, scratch:, environment: {}, left_out: [], patience: 300)
    @command = command
    @folder = folder
    @output, @journal = %w[output journal].map { |name| File.join(scratch, name) }
    @environment = { **ENV.select { |name, _| name.match?(KEPT) }, "LANG" => "C.UTF-8", "TZ" => "UTC", "TMPDIR" => scratch,
                     "MT_NO_PLUGINS" => "1", "JOURNAL" => @journal, "LEFT_OUT" => left_out.join("\n"), **environment }
    @patience = patience
  end

  # @return [Array(String, Array<Hash>)] what it has printed, and the entries of the {SuiteJournal}
  def run
    over = wait(start)
    entries = File.exist?(@journal) ? File.readlines(@journal).map { |line| JSON.parse(line, symbolize_names: true) } : []
    ["#{File.read(@output, encoding: "UTF-8").scrub}#{"\nended after #{@patience} seconds without a word" unless over}", entries]
  end

  private

  def start
    Process.spawn(@environment, *@command, chdir: @folder, %i[out err] => @output, in: File::NULL, pgroup: true, unsetenv_others: true)
  end

  # On a busy machine all of it may take any time; a single test does not.
  # @return [Boolean] whether it has ended by itself; then, too, none of its children is left
  def wait(pid)
    child = Process.detach(pid)
    written = heard = nil
    until child.join(1)
      size = File.size?(@journal)
      written, heard = size, now if heard.nil? || size != written
      return false if now - heard > @patience
    end
    true
  ensure
    begin
      Process.kill(:KILL, -pid)
    rescue Errno::ESRCH, Errno::EPERM
      nil
    end
    child.join
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
