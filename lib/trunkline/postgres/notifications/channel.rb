# frozen_string_literal: true

require_relative "../statements/statements"

module Trunkline
  module Postgres
    # Names of channels.
    module Channel # :nodoc:
      LONGEST = 63 # bytes; the server truncates longer names in LISTEN, and refuses them in pg_notify
      private_constant :LONGEST

      # @param name [String, Symbol]
      # @return [String]
      # @raise [ArgumentError, TypeError, EncodingError] the name is invalid
      def self.name(name)
        name = name.name if Symbol === name
        raise TypeError, "a channel is named by a String or a Symbol, not by #{Argument.shown(name)}" unless String === name

        text = Statements.text(name)
        return text if text.bytesize.between?(1, LONGEST)

        raise ArgumentError, "the name of a channel has 1 to #{LONGEST} bytes, not #{text.bytesize}"
      end
    end
    private_constant :Channel
  end
end
