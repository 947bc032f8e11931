# frozen_string_literal: true

require_relative "../pg/pg"

module Trunkline
  module ActiveRecord
    # What a statement returned, in the shape of PG::Result, which applications and gems know. Its values are those that ActiveRecord wants.
    class Result < PG::Result
      # What each column holds, for ActiveRecord.
      attr_reader :description # :nodoc:

      # Most values are decoded already.
      #
      # @param decoders [Hash{Integer => #call}, Object] by the OID of a type, gets the server's text; anything else changes nothing
      # @return [Result] itself
      def map_types!(decoders)
        return self unless decoders.is_a?(Hash)

        @description.types.each_with_index do |type, column|
          decoder = decoders[type]
          rows.each { |row| row[column] &&= decoder.call(row[column]) } if decoder
        end
        self
      end

      # Changes nothing.
      def type_map=(map)
        @type_map = map
      end
    end
  end
end
