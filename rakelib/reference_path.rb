# frozen_string_literal: true

require "objspace"

# By which objects one object refers to another, for a test that finds something kept. What only the stack of a thread refers to does not count: the
# collector takes each word there for a reference, also one that an earlier call has left.
class ReferencePath
  # @param from [Object]
  # @yieldparam object [Object]
  # @yieldreturn [Boolean] whether it is the other object
  def initialize(from, &wanted)
    @wanted = wanted
    @seen = { key(from) => true }
    @reached = [[from, nil]] # objects, and the index of the one that refers to them
  end

  # @return [String, nil] the classes of the objects on the path; nil: there is none
  def find
    at = 0
    while at < @reached.size
      object, = @reached[at]
      return describe(at) if @wanted.call(object)

      follow(object, at)
      at += 1
    end
  end

  private

  # A class leads to all constants. The fiber that a thread runs, which Ruby calls resumed, has the thread's stack.
  def follow(object, at)
    return if Thread === object || Module === object || runs?(object)

    (ObjectSpace.reachable_objects_from(object) || []).each do |other|
      next if @seen[key(other)]

      @seen[key(other)] = true
      @reached.push([other, at])
    end
  end

  def runs?(object) = Fiber === object && object.inspect.include?("(resumed)")

  # Each wrapper of an internal object is another one.
  def key(object) = internal?(object) ? [object.internal_object_id] : object.__id__
  def internal?(object) = ObjectSpace::InternalObjectWrapper === object

  def describe(at)
    path = []
    while at
      object, at = @reached[at]
      path.unshift(internal?(object) ? object.type : Kernel.instance_method(:class).bind_call(object))
    end
    path.join(" > ")
  end
end
