# frozen_string_literal: true

require "ipaddr"
require "json"

module Trunkline
  module Postgres
    class Types
      # The steps of decoding that Ruby performs. Each has
      #
      #   call(value, memory): makes the final value of what C decoded (nil stays nil), and counts it in its row's memory, unless that is nil
      #   uncounted(share): the length of a text that needs no counting, if a column's values may take `share` bytes
      module Finishers
        # json and jsonb
        module Document # :nodoc:
          # Nesting depth of a document. Each level needs some of the stack, of which a fiber has little: 6,000 overflow it.
          DEEPEST = 1000
          # Bytes of memory for a byte of text, at most: an empty Hash in an Array has 180 for "{}," on Ruby 3.3.
          MOST_PER_BYTE = 60
          private_constant :DEEPEST, :MOST_PER_BYTE

          module_function

          def call(text, memory = RowMemory.new)
            return if text.nil?

            memory&.take_json(text)
            JSON.parse(text, max_nesting: DEEPEST)
          rescue JSON::NestingError
            raise UnreadableResult.new("a json value nests deeper than #{DEEPEST} levels: read it as text, with decode: { 114 => :text, 3802 => :text }", sent: true)
          end

          def uncounted(share) = share / MOST_PER_BYTE
        end

        # inet and cidr
        module Network # :nodoc:
          # Bytes of an IPAddr with two large numbers, address and mask.
          OBJECT = 80 + (2 * 40)
          private_constant :OBJECT

          module_function

          def call(text, memory = RowMemory.new)
            return if text.nil?

            memory&.take(OBJECT)
            IPAddr.new(text)
          end

          # A row has one value in a column.
          def uncounted(_share) = Float::INFINITY
        end

        # Arrays, at any depth, of values that another finisher makes.
        class Elements # :nodoc:
          # @param finisher [#call] of an element
          def initialize(finisher)
            @finisher = finisher
          end

          def call(value, memory = RowMemory.new)
            return @finisher.call(value, memory) unless value.is_a?(Array)

            memory.take_array(value.size)
            value.map { |element| call(element, memory) }
          end

          def uncounted(_share) = 0
        end

        # By OID: json, jsonb, inet, cidr, then arrays of them.
        BY_TYPE = {
          114 => Document, 3802 => Document, 869 => Network, 650 => Network,
          199 => Elements.new(Document), 3807 => Elements.new(Document), 1041 => Elements.new(Network), 651 => Elements.new(Network)
        }.freeze
      end
    end
  end
end
