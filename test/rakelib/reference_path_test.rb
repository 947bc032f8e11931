# frozen_string_literal: true

require "test_helper"
require "weakref"
require_relative "../../rakelib/reference_path"

class ReferencePathTest < Trunkline::TestCase
  Wanted = Class.new
  private_constant :Wanted

  def path(from) = ReferencePath.new(from) { |object| Wanted === object }.find

  def test_the_shortest_path
    assert_equal "Array > Hash > ReferencePathTest::Wanted", path([[{ far: [Wanted.new] }], { near: Wanted.new }])
  end

  def test_none
    wanted = Wanted.new
    assert_equal [nil] * 3, [path([Object.new]), path([WeakRef.new(wanted)]), path([Class.new { const_set(:WANTED, wanted) }])]
  end

  def test_what_a_suspended_fiber_refers_to
    fiber = Fiber.new { |wanted| Fiber.yield.then { wanted } }
    fiber.resume(Wanted.new)
    assert_equal "Array > Fiber > ReferencePathTest::Wanted", path([fiber])
  end

  # Its stack refers to the object, for good or by chance.
  def test_what_a_thread_refers_to_does_not_count
    finish = Thread::Queue.new
    fibers = Thread::Queue.new
    thread = Thread.new(Wanted.new) { |wanted| fibers.push(Fiber.current) && finish.pop && wanted }
    assert_nil path([thread, fibers.pop])
  ensure
    finish.close
    thread.join
  end
end
