# frozen_string_literal: true

require "fiddle"
require "rbconfig"
require "tmpdir"

module Soak
  # What this process has in use: live slots of Ruby's heap, and bytes of malloc's.
  class InUse
    SOURCE = File.expand_path("malloc_in_use.c", __dir__)
    FLAGS = %w[-shared -fPIC -Wall -Wextra -Werror].freeze
    COLLECTIONS = 3 # what is freed by one may have kept what is freed by the next
    private_constant :SOURCE, :FLAGS, :COLLECTIONS

    def initialize
      Dir.mktmpdir do |folder|
        library = "#{folder}/malloc_in_use.so"
        system(*RbConfig::CONFIG["CC"].split, *FLAGS, "-o", library, SOURCE, exception: true)
        @malloc = Fiddle::Function.new(Fiddle.dlopen(library)["malloc_in_use"], [], Fiddle::TYPE_SIZE_T)
      end
    end

    # @return [Array(Integer, Integer)] live slots and bytes, after everything was collected that can be
    def now
      COLLECTIONS.times { GC.start }
      [GC.stat(:heap_live_slots), @malloc.call]
    end
  end
end
