# frozen_string_literal: true

require_relative "../pg/pg"
require_relative "../pg/gem_result"

module Trunkline
  module ActiveRecord
    # What the adapter's own statements return: its values are those that ActiveRecord wants, decoded as they come, and no text is kept. What
    # `execute` and raw_connection return to applications is {PG::Result}.
    class Result < PG::Result
      # What each column holds, for ActiveRecord.
      attr_reader :description # :nodoc:

      # Decodes what is text still.
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
