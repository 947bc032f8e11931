# frozen_string_literal: true

require_relative "records"

module Trunkline
  module Postgres
    # A result whose rows are objects of a user's class.
    #
    # @see Result#as
    class RecordResult < Result
      # @param result [Result]
      # @param records [Array<Object>] one for each row
      # @param description [Description] the result's
      def initialize(result, records, description) # :nodoc:
        @result = result
        @records = records
        super(result.rows, description, result.affected_rows)
      end

      # @yieldparam record [Object]
      # @return [RecordResult, Enumerator]
      def each(&block)
        return to_enum { size } unless block

        @records.each(&block)
        self
      end

      # The rows as Hashes, by the names of their columns.
      #
      # @yieldparam row [Hash]
      # @return [RecordResult, Enumerator]
      def each_hash(&block)
        return @result.each_hash unless block

        @result.each_hash(&block)
        self
      end

      # @return [Object, nil]
      def [](index) = @records[index]

      # @return [Array<Hash>] see {Result#notices}
      def notices = @result.notices

      # Converts the same rows to objects of another class.
      #
      # @param type [Class] see {Result#as}
      # @return [RecordResult]
      def as(type) = @result.as(type)

      private

      def marshal_dump = [@result, @records, KeptDescription.new(columns, types, modifiers)]
      def marshal_load(kept) = initialize(*kept)
    end
  end
end
