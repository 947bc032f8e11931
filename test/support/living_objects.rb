# frozen_string_literal: true

# The objects of a class that live. Where Ruby collects garbage in the middle of ObjectSpace.each_object, dead ones are met, too: their slots are
# swept and made use of again while they are looked at (Ruby 3.1: a String in place of the object). So there is no collection, and no Ruby runs
# in the middle that lets another thread in.
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
