# frozen_string_literal: true

module Trunkline
  module Postgres
    # How a caller wants types decoded, if not by default.
    module Decoding # :nodoc:
      module_function

      # @param choices [Hash{Integer, :default => :text, :value, #call}, nil] by the OID of the type: the server's text, the default value, or what
      #   the callable makes of the text
      # @return [Hash{Integer => :text, #call}, nil] frozen; nil for types that are decoded by default
      # @raise [ArgumentError, TypeError]
      def of(choices)
        return if nil == choices
        raise TypeError, "decode must be a Hash by the OIDs of types, as { 1700 => :text } or { default: :text }, not #{Argument.class_of(choices)}" unless Argument.is?(choices, Hash)

        given = choices.to_h { |oid, choice| [key(oid), value(oid, choice)] }
        Hash.new(given.delete(:default)).merge!(given).freeze
      end

      # @return [#call, nil] that Ruby calls with the text
      def finisher(choice) = Argument.responds?(choice, :call) ? choice : nil

      def key(oid)
        return oid if :default == oid || (Argument.is?(oid, Integer) && oid.between?(1, 0xFFFFFFFF))

        raise ArgumentError, "decode: #{Argument.shown(oid)} is no OID of a type, nor :default"
      end

      def value(oid, choice)
        return if :value == choice
        return choice if :text == choice || Argument.responds?(choice, :call)

        raise ArgumentError, "decode: #{Argument.shown(choice)} for #{oid} is neither :text nor :value nor callable"
      end

      private_class_method :key, :value
    end
    private_constant :Decoding
  end
end
