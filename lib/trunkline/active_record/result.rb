# frozen_string_literal: true

require_relative "../pg/pg"
require_relative "../pg/gem_result"

module Trunkline
  module ActiveRecord
    # The result of the adapter's own statements: C decodes the values as ActiveRecord expects them, and no text is kept. `execute` and raw_connection
    # return {PG::Result} to applications.
    class Result < PG::Result
      # The description of the columns, for ActiveRecord.
      attr_reader :description # :nodoc:

      # Decodes values that are still text.
      #
      # @param map [PG::TypeMapByOid]
      # @return [Result] itself
      def map_types!(map)
        decoders = PG::TypeMap.reading(map).decoders_for(self)
        rows.each { |row| row.each_with_index { |value, column| row[column] = decoders[column].decode(value) if value.is_a?(String) && decoders[column] } }
        self
      end
      alias type_map= map_types!
    end
  end
end
