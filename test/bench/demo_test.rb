# frozen_string_literal: true

require "test_helper"

# What the demo prints first: its result, and what it compares.
class DemoTest < Trunkline::TestCase
  DEMO = File.expand_path("../../bench/demo.rb", __dir__)
  RATES = { "pg, 16 threads" => { rate: 1000.0, cpu_each: 90.0 }, "Trunkline, 1000 fibers" => { rate: 2500.0, cpu_each: 30.0 } }.freeze
  RESULT = "1000 fibers over 4 connections: 2.5 times the queries of 16 threads over 16, for 1/3.0 of the client's processor time a query."
  private_constant :DEMO, :RATES, :RESULT

  def test_it_begins_with_its_result
    printed = IO.popen("-") { |demo| demo ? demo.read : show }
    assert_equal RESULT, printed.lines.first.to_s.chomp
    assert_match(/\ABlocking: one caller sends a query .*, waits for the answer, .*Non-blocking: fibers of one thread /, printed.lines[1].to_s)
  end

  private

  # In a fork, where the demo is loaded and measures nothing.
  def show
    define_demo
    demo = Trunkline::Bench::Demo.allocate
    demo.instance_variable_set(:@options, Struct.new(:json).new(false))
    demo.instance_variable_set(:@rows, [])
    { publish: nil, write_page: "page" }.each { |name, value| demo.define_singleton_method(name) { |*, **| value } }
    demo.__send__(:show, Struct.new(:tables, :curves, :plots).new([], {}, []).tap { |mixture| def mixture.plots(**) = [] }, RATES, [nil])
  ensure
    $stdout.flush
    exit!
  end

  def define_demo
    ARGV.replace(%w[--help])
    silent, $stdout = $stdout, StringIO.new
    load DEMO
  rescue SystemExit
    $stdout = silent
  end
end
