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
          each = ->(value) { value.is_a?(Array) ? value.map!(&each) : finisher.call(value) }
        end

        # By OID: json, jsonb, inet, cidr, then arrays of them.
        BUILTIN = {
          114 => DOCUMENT, 3802 => DOCUMENT, 869 => NETWORK, 650 => NETWORK,
          199 => nested(DOCUMENT), 3807 => nested(DOCUMENT), 1041 => nested(NETWORK), 651 => nested(NETWORK)
        }.freeze

        # For a type that the codec does not know and left as the server's text.
        #
        # @param base [Integer] the built-in type it is read as
        # @param array [Boolean] whether as an array of it
        # @return [#call, nil] nil: text is what it is
        def self.of_text(base, array)
          return if [base, array] == Catalogue::SERVER_TEXT

          finish = BUILTIN[Catalogue.builtin_oid(base, array)]
          lambda do |text|
            value = text && Postgres.decode(base, array, 0, text)
            finish ? finish.call(value) : value
          end
        end
      end
    end
  end
end
