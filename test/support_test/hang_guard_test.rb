# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/schedulers/event_machine_host"

# Each test runs under the guard that ends those that hang.
class HangGuardTest < Trunkline::TestCase
  # Finds each time what is next, and then the last again.
  class Finding
    def initialize(*found)
      @found = found
      @looks = Thread::Queue.new
    end

    # @return [Thread::Queue] an element for each look
    attr_reader :looks

    def faults = (@found.size > 1 ? @found.shift : @found.first).tap { @looks << true }
  end

  UNLED = ["a caller is parked where no caller leads"].freeze
  PLACES = %w[integration scheduler trunkline ext hosts].freeze
  private_constant :Finding, :UNLED, :PLACES

  def test_a_test_that_hangs_is_ended_by_name
    error = guarded(Finding.new(UNLED), lasting: 0.0) { |guard| assert_raises(HangGuard::Hang) { guard.watch("SomeTest#test_it") { Thread::Queue.new.pop } } }
    assert_equal "SomeTest#test_it hangs: a caller is parked where no caller leads", error.message
  end

  def test_what_passes_is_no_hang
    finding = Finding.new(UNLED, [], UNLED, [])
    guarded(finding, lasting: 3600.0) { |guard| assert_equal :done, guard.watch("SomeTest#test_it") { 6.times { finding.looks.pop }.then { :done } } }
  end

  # But for other projects' own, and those of an application that has Rails' base.
  def test_each_test_of_the_client_runs_under_it
    root = File.expand_path("..", __dir__)
    unguarded = Dir.glob("{#{PLACES.join(",")}}/**/*_test.rb", base: root).grep_v(%r{\Ahosts/(others|rails/|rails_parts/)}).reject do |file|
      File.read(File.join(root, file), encoding: "UTF-8").match?(/\bTrunkline::TestCase\b|< \w+(Test|Case)\b|\bextend EachHost\b/)
    end
    assert_empty unguarded
    assert_includes Trunkline::TestCase.instance_method(:run).source_location.first, "test_helper"
  end

  # What runs there is checked from its beginning.
  def test_each_host_is_checked
    { Threads: Hosts::Threads, **Hosts::LOOPS }.each do |name, host|
      concurrent = Class.new(Trunkline::TestCase) { include host }.new(name)
      begun = Thread::Queue.new
      error = Watchdog.stub(:join, ->(*) { begun.pop && UNLED }) { assert_raises(Supervision::Hang, name.to_s) { concurrent.in_host { begun << true } } }
      assert_includes error.message, UNLED.first
    end
  end

  private

  def guarded(finding, lasting:)
    guard = HangGuard.new(watchdog: finding, patience: 0.0, lasting: lasting, look: 0.001)
    yield guard
  ensure
    guard.stop
  end
end
