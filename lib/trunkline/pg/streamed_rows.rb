# frozen_string_literal: true

module Trunkline
  module PG
    # Rows of a query in single-row mode: each is a result of its own, see {Shape::Sending#set_single_row_mode}.
    module StreamedRows
      # Yields this row and those after it, of a query in single-row mode.
      #
      # @yieldparam row [Hash]
      # @return [Result, Enumerator]
      # @raise [PG::Error] the server has failed; perhaps after some rows
      # @raise [InvalidResultStatus] it is not a row of such a query
      # @raise [NoResultError] the block has taken the rest
      def stream_each(&block) = streamed(:stream_each, block) { |result| result.each(&block) }

      # As {#stream_each}, with Arrays.
      def stream_each_row(&block) = streamed(:stream_each_row, block) { |result| result.each_row(&block) }

      # As {#stream_each}, with {Tuple}s.
      def stream_each_tuple(&block) = streamed(:stream_each_tuple, block) { |result| result.size.times { |row| yield result.tuple(row) } }

      private

      def streamed(name, block)
        return to_enum(name) unless block

        check
        return self if result_status == Constants::PGRES_COMMAND_OK
        raise ResultErrors.namespace::InvalidResultStatus, "PG::Result is not in single row mode" unless details.source

        details.source.each_result(self) { |result| yield like_this(result) }
        self
      end

      # Applies the names and types that were chosen for the first row.
      def like_this(result)
        return result if result.equal?(self)

        result.field_name_type = field_name_type
        result.type_map = type_map unless type_map.equal?(result.type_map)
        result
      end
    end
  end
end
