# frozen_string_literal: true

# The living objects of a class. If Ruby collects garbage during ObjectSpace.each_object, dead objects are yielded, too: their slots are swept and
# used again meanwhile (Ruby 3.1: a String in place of the object). So garbage collection is off, and no Ruby runs meanwhile that would let another
# thread run.
module LivingObjects
  WALK = Mutex.new
  private_constant :WALK

  # @param type [Class]
  # @return [Array<Object>]
  def self.of(type)
    WALK.synchronize do
      disabled = GC.disable
      ObjectSpace.each_object(type).to_a
    ensure
      GC.enable unless disabled
    end
  end
end
