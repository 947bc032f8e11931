# frozen_string_literal: true

require "test_helper"
require "stringio"
require_relative "../../rakelib/newer_ruby"
require_relative "../../rakelib/test_parts"
require_relative "../../rakelib/test_run"

# What a run of the tests in parts tells, and when it has passed.
class TestRunTest < Trunkline::TestCase
  SOURCES = File.expand_path("../..", __dir__)
  PASSES = "A#test_quick = 0.01 s = .\nA#test_slow = 2.50 s = .\n\n2 runs, 3 assertions, 0 failures, 0 errors, 0 skips"
  FAILS = "Run options: --verbose --seed 42\nB#test_wrong = 0.10 s = F\nExpected: 1\n\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips"
  HANGS = [RbConfig.ruby, "--disable=gems", "-r", File.expand_path("../support/whereabouts", __dir__), "-e",
           "Whereabouts.tell_upon_signal; def wait_for_ever = sleep; puts 1; $stdout.flush; wait_for_ever"].freeze
  WITHOUT_GEMS = { "RUBYOPT" => nil }.freeze # which takes most of such a part's time

  # The silence of such a part counts from its first line, which it writes when its traps are set: a Ruby may take longer to start than it may be silent.
  module HeardFirst
    private

    def wait_for(pid)
      limit = now + 60
      sleep 0.01 until File.size?(@log) || now > limit
      super
    end
  end

  private_constant :SOURCES, :PASSES, :FAILS, :HANGS, :WITHOUT_GEMS, :HeardFirst

  def test_the_sum_and_the_slowest_are_reported
    passed, output = run_parts(part("one", PASSES), part("two", PASSES.sub("A#test_slow", "B#test_slow")))
    assert passed
    assert_includes output, "\n4 runs, 6 assertions, 0 failures, 0 errors, 0 skips\n"
    assert_match(/The slowest tests:\n +2\.5 s  [AB]#test_slow\n/, output)
    assert_match(%r{^\[2/2\] test_run_test/(one|two) +2 runs}, output)
  end

  def test_a_failure_is_reported_with_the_way_to_run_it_again
    passed, output = run_parts(part("one", PASSES), part("two", FAILS, status: 1, files: ["test/b_test.rb"]))
    refute passed
    assert_includes output, "FAILED: 1 failures, 0 errors"
    assert_includes output, "Expected: 1"
    assert_includes output, %(Run it again: FILES="test/b_test.rb" TESTOPTS=--seed=42 bundle exec rake test)
  end

  def test_a_part_that_ends_early_has_failed
    refute run_parts(part("one", ""))[0], "it ran no test"
    refute run_parts(part("two", PASSES, status: 1))[0]
    refute run_parts(part("three", FAILS))[0]
  end

  def test_a_part_that_hangs_tells_where_and_is_ended
    passed, output = run_parts(TestPart.new("test_run_test/hang", HANGS, silence: 1, environment: WITHOUT_GEMS).extend(HeardFirst))
    refute passed
    assert_includes output, "test_run_test/hang failed (nothing had come from it for 1 s)"
    assert_includes output, "wait_for_ever"
  end

  def test_of_a_part_that_runs_no_ruby_the_system_tells
    deaf = ["sh", "-c", "trap '' USR2 TERM; echo heard; sleep 10; echo late"]
    _, output = run_parts(TestPart.new("test_run_test/deaf", deaf, silence: 1, grace: 0.2).extend(HeardFirst))
    assert_includes output, "test_run_test/deaf failed (nothing had come from it for 1 s)"
    assert_match(/^It runs no Ruby:\nthread \d+ \(.*\): state [SR], \d+\.\d\d s of processor time, in \S+, system call /, output)
    assert_match(/^child \d+: state S, sleep 10$/, output)
  end

  def test_parts_that_need_a_preparation_begin_when_it_has_passed
    passed, output = run_parts(part("one", PASSES), prepared: { part("ready", PASSES) => [part("two", PASSES)] })
    assert passed
    assert_match(%r{^\[3/3\] test_run_test/}, output)
    assert_operator output.index("test_run_test/ready"), :<, output.index("test_run_test/two")
  end

  def test_parts_whose_preparation_has_failed_do_not_run
    passed, output = run_parts(part("one", PASSES), prepared: { part("ready", "it fails", status: 1) => [part("two", PASSES)] })
    refute passed
    assert_includes output, "it fails"
    refute_includes output, "test_run_test/two"
  end

  # They are long, and leave the processors to others.
  def test_parts_that_mostly_wait_are_taken_beside_those_that_compute
    backlog = TestBacklog.new([part("long", PASSES), part("short", PASSES, rank: 1), part("waits", PASSES, waits: true), part("waits too", PASSES, rank: 1, waits: true)])
    backlog.add([part("later", PASSES)])
    backlog.close
    taken = [true, false, false, false, true, true, false].map { |waiting| backlog.take(waiting: waiting)&.name&.delete_prefix("test_run_test/") }
    assert_equal ["waits", "long", "later", "short", "waits too", nil, nil], taken
  end

  # None that computes is left, or none is there for them.
  def test_any_worker_takes_parts_that_wait
    waiting = Array.new(3) { |number| part("wait#{number}", PASSES, waits: true) }
    assert run_parts(*waiting, workers: 1, waiting: 0)[0]
    assert run_parts(part("one", PASSES), *waiting, prepared: { part("ready", PASSES) => [part("two", PASSES)] }, workers: 1, waiting: 1)[0]
  end

  def test_how_far_the_processors_were_used_is_reported
    assert_match(/^\d+ s, in which \d+ processors were used to \d+ %\n\z/, run_parts(part("one", PASSES))[1])
  end

  # Of children as well, servers above all. The child of this one works for a fifth of a second.
  def test_how_long_a_part_has_computed_is_told
    skip "this system has no /proc" unless File.exist?("/proc/self/stat")
    computes = "Process.wait(fork { true while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 0.2 }); puts ARGV[0]"
    one = TestPart.new("test_run_test/one", [RbConfig.ruby, "--disable=gems", "-e", computes, PASSES], environment: WITHOUT_GEMS)
    _, output = run_parts(one)
    assert_operator one.processor_seconds, :>=, 0.19
    assert_match(%r{^\[1/1\] test_run_test/one +2 runs +\d+ s, +\d+ of a processor$}, output)
  end

  def test_what_enters_a_root_has_the_tests_themselves_tell_where_they_hang
    entering = "Process.wait(spawn('sh', '-c', '\"$@\"; exit $?', 'sh', *ARGV))" # a child's child, as unshare has it
    command = [RbConfig.ruby, "--disable=gems", "-e", entering, *HANGS]
    _, output = run_parts(NewerRuby::Part.new("test_run_test/hang", command, silence: 1, environment: WITHOUT_GEMS).extend(HeardFirst))
    assert_includes output, "wait_for_ever"
  end

  def test_every_part_of_a_newer_ruby_has_files
    parts = NewerRuby.new.parts
    refute_empty parts
    assert_empty parts.select { |one| one.files.empty? }
    assert_empty parts.flat_map(&:files) - Dir["test/**/*_test.rb", base: SOURCES]
  end

  def test_every_file_is_in_one_part
    files = TestParts.all.flat_map(&:files)
    elsewhere = RUBY_VERSION < "3.3" ? %r{hosts/(rails|rails_parts|newer)/|^test/failover/} : %r{hosts/rails(_parts)?/|^test/failover/}
    assert_equal Dir["test/**/*_test.rb", base: SOURCES].grep_v(elsewhere).sort, files.sort - ["test/failover/dropped_packets_test.rb"]
  end

  private

  def part(name, output, status: 0, **options)
    TestPart.new("test_run_test/#{name}", [RbConfig.ruby, "--disable=gems", "-e", "puts ARGV[0]; exit Integer(ARGV[1])", output, status.to_s], environment: WITHOUT_GEMS, **options)
  end

  def run_parts(*parts, **options)
    told = StringIO.new
    passed = TestRun.new(parts, output: told, **options).run
    [passed, told.string]
  end
end
