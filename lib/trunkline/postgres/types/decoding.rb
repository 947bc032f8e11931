# frozen_string_literal: true

module Trunkline
  module Postgres
    # How a caller wants types decoded, where that is not as usual.
    module Decoding # :nodoc:
      module_function

      # @param choices [Hash{Integer, :default => :text, :value, #call}, nil] by the OID of the type: the server's text, the
      #   usual value, or what the callable makes of the text
      # @return [Hash{Integer => :text, #call}, nil] frozen; it has nil for what is as usual
      # @raise [ArgumentError, TypeError]
      def of(choices)
        return if choices.nil?
        raise TypeError, "decode must be a Hash of type OIDs, not #{choices.class}" unless choices.is_a?(Hash)

        given = choices.to_h { |oid, choice| [key(oid), value(oid, choice)] }
        Hash.new(given.delete(:default)).merge!(given).freeze
      end

      # @return [#call, nil] what Ruby does with the text
      def finisher(choice) = choice.respond_to?(:call) ? choice : nil

      def key(oid)
        return oid if oid == :default || (oid.is_a?(Integer) && oid.between?(1, 0xFFFFFFFF))

        raise ArgumentError, "decode: #{oid.inspect} is no OID of a type, nor :default"
      end

      def value(oid, choice)
        return if choice == :value
        return choice if choice == :text || choice.respond_to?(:call)

        raise ArgumentError, "decode: #{choice.inspect} for #{oid} is neither :text nor :value nor callable"
      end

      private_class_method :key, :value
    end
    private_constant :Decoding
  end
end
