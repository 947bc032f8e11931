# frozen_string_literal: true

require_relative "../../errors"
require_relative "../../trunk/limits"

module Trunkline
  module Postgres
    class Types
      # Counts the memory of the Arrays and Hashes that Ruby makes of one row's values of composite types and of what is inside them, before
      # they are made. A null attribute costs the server one byte and an empty array two. Strings and numbers are not counted: they take
      # memory in proportion to their text.
      class RowMemory # :nodoc:
        ARRAY = 40      # bytes of an empty Array
        HASH = 40       # bytes of an empty Hash
        ATTRIBUTE = 104 # bytes of a Hash for each entry: 21 to 103, as ObjectSpace.memsize_of tells for 2 to 1,600 entries
        private_constant :ARRAY, :HASH, :ATTRIBUTE

        # @return [Integer] bytes that all Arrays and Hashes of the row may take, and those of one built-in array
        attr_reader :most

        # @param most [Integer] bytes
        def initialize(most = Limits::DEFAULTS.fetch(:max_message))
          @most = most
          @taken = 0
        end

        # Counts the arrays that a text stands for: as many as there are opening braces in it, at most.
        #
        # @param text [String] of an array, as the server writes it
        # @raise [UnreadableResult] the limit is exceeded
        def arrays(text) = take(text.count("{") * ARRAY)

        # @param attributes [Integer] that a composite has
        # @raise [UnreadableResult] the limit is exceeded
        def hash_of(attributes) = take(HASH + (attributes * ATTRIBUTE))

        private

        def take(bytes)
          @taken += bytes
          return if @taken <= @most

          raise UnreadableResult.new("the arrays and composite values in a row take more bytes of memory than max_message, #{@most}", sent: true)
        end
      end
    end
  end
end
