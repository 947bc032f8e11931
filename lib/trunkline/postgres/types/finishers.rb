# frozen_string_literal: true

require "ipaddr"
require "json"

module Trunkline
  module Postgres
    class Types
      # The steps of decoding that are made in Ruby. Each takes nil, too.
      module Finishers
        DOCUMENT = ->(text) { text && JSON.parse(text, max_nesting: false) }
        NETWORK = ->(text) { text && IPAddr.new(text) }
        private_constant :DOCUMENT, :NETWORK

        # @param finisher [#call] of an element
        # @return [#call] of an array of them, however nested
        def self.nested(finisher)
          each = ->(value) { value.is_a?(Array) ? value.map(&each) : finisher.call(value) }
        end

        # By OID: json, jsonb, inet, cidr, then arrays of them.
        BY_TYPE = {
          114 => DOCUMENT, 3802 => DOCUMENT, 869 => NETWORK, 650 => NETWORK,
          199 => nested(DOCUMENT), 3807 => nested(DOCUMENT), 1041 => nested(NETWORK), 651 => nested(NETWORK)
        }.freeze
      end
    end
  end
end
