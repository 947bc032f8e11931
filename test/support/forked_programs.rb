# frozen_string_literal: true

require "minitest"
require "rbconfig"
require "tmpdir"

# Programs that run in processes of their own, each forked from one that has loaded what all of them load first: so that is loaded once. Of each other
# they see nothing.
class ForkedPrograms
  # What the first process runs when it has loaded that: one program after the other.
  SERVE = <<~'RUBY'
    requests, results = [$stdin, $stdout].map(&:dup)
    [$stdin, $stdout].each { |io| io.reopen(File::NULL) }
    results.sync = true
    until requests.eof?
      path, arguments, environment, output = Marshal.load(requests)
      child = fork do
        [requests, results].each(&:close)
        $stdout.reopen(output, "w")
        $stderr.reopen($stdout).sync = true
        ENV.update(environment)
        ARGV.replace(arguments)
        load(path)
      end
      Marshal.dump(Process.wait2(child).last.success?, results)
    end
  RUBY
  private_constant :SERVE

  # As {#initialize}, closed when all tests have ended.
  def self.of_tests(...) = new(...).tap { |programs| Minitest.after_run { programs.close } }

  # @param options [Array<String>] of the Ruby
  # @param before [String] what each of the programs begins with
  # @param environment [Hash{String => String, nil}] variables of the process, besides this one's
  def initialize(*options, before:, environment: {})
    request, @requests = IO.pipe(binmode: true)
    @results, result = IO.pipe(binmode: true)
    @lock = Mutex.new
    @pid = Process.spawn(environment, RbConfig.ruby, *options, "-e", "#{before}\n#{SERVE}", in: request, out: result)
    [request, result].each(&:close)
  end

  # Runs a program to its end.
  #
  # @param source [String] without what all begin with
  # @param arguments [Array<String>]
  # @param environment [Hash{String => String, nil}] variables that are set once that has been loaded
  # @return [Array(String, Boolean)] everything that it has printed, and whether it has succeeded
  # @raise [EOFError] the first process has ended
  def run(source, *arguments, environment: {})
    Dir.mktmpdir do |folder|
      path, output = %w[program.rb output].map { |name| File.join(folder, name) }
      File.write(path, source)
      success = @lock.synchronize { Marshal.dump([path, arguments, environment, output], @requests) && Marshal.load(@results) }
      [File.read(output, encoding: "UTF-8"), success]
    end
  end

  # Ends the first process.
  def close
    @requests.close
    Process.wait(@pid)
    @results.close
  end
end
