# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "../../bench/support/bench_run"

class BenchRunTest < Trunkline::TestCase
  HEAD = "# frozen_string_literal: true\n\n# What it is about,\n# in two lines.\n\nrequire \"json\"\n"
  private_constant :HEAD

  def test_what_it_found_and_what_it_is_about
    bench = bench("found", 'warn "busy"; puts JSON.generate(arguments: ARGV)', arguments: %w[--save])
    assert_equal "What it is about, in two lines.", bench.purpose
    assert_equal({ arguments: %w[--json --save] }, bench.result)
    assert_equal "found", bench.name
    assert_nil bench.failure
  end

  def test_one_that_fails_says_why
    bench = bench("failing", 'puts "{"; raise "no server"')
    assert_nil bench.result
    assert_match(/no server \(RuntimeError\)\z/, bench.failure)
  end

  def test_one_that_prints_something_else_has_failed
    bench = bench("talkative", 'puts "hello"')
    assert_nil bench.result
    assert_match(/hello/, bench.failure)
  end

  def test_one_that_takes_too_long_is_stopped
    bench = bench("endless", "sleep", longest: 0.01)
    assert_nil bench.result
    assert_equal "stopped after 0.01 s", bench.failure
  end

  def test_one_that_is_killed_says_so
    bench = bench("killed", 'warn "busy"; Process.kill("KILL", Process.pid); sleep')
    assert_nil bench.result
    assert_match(/SIGKILL/, bench.failure)
  end

  private

  def bench(name, program, **options)
    @folder ||= Dir.mktmpdir
    path = File.join(@folder, "#{name}.rb")
    File.write(path, HEAD + program)
    Trunkline::Bench::BenchRun.new(path, **options)
  end

  def teardown
    FileUtils.rm_rf(@folder)
    super
  end
end
