# frozen_string_literal: true

require "objspace"
require "set"

# Measures the memory of a value and of all that only it refers to, by ObjectSpace.memsize_of. Unlike the process's memory, that is the same in each
# run.
module ObjectMemory
  module_function

  # @param value [Object]
  # @param shared [Array<Object>] objects that do not count, as they exist anyway
  # @return [Integer] bytes
  def of(value, shared: [])
    seen = Set.new(shared.map(&:__id__)).compare_by_identity
    waiting, bytes = [value], 0
    while (object = waiting.pop)
      next if counts_nothing?(object) || !seen.add?(object.__id__)

      bytes += ObjectSpace.memsize_of(object)
      waiting.concat(ObjectSpace.reachable_objects_from(object) || [])
    end
    bytes
  end

  def counts_nothing?(object) = object.is_a?(Module) || object.is_a?(ObjectSpace::InternalObjectWrapper)
  private_class_method :counts_nothing?
end
