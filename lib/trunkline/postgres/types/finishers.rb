# frozen_string_literal: true

require "ipaddr"
require "json"

module Trunkline
  module Postgres
    class Types
      # The steps of decoding that are made in Ruby. Each takes nil, too.
      module Finishers
        # Levels of a document. Each takes some of the stack, of which a fiber has little: 6,000 overflow it.
        DEEPEST = 1000
        DOCUMENT = lambda do |text|
          text && JSON.parse(text, max_nesting: DEEPEST)
        rescue JSON::NestingError
          raise UnreadableResult.new("a json value nests deeper than #{DEEPEST} levels: read it as text, with decode: { 114 => :text, 3802 => :text }", sent: true)
        end
        NETWORK = ->(text) { text && IPAddr.new(text) }
        private_constant :DEEPEST, :DOCUMENT, :NETWORK

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
