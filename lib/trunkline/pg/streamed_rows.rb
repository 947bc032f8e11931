# frozen_string_literal: true

module Trunkline
  module PG
    # Rows of a query in single-row mode: each comes as a result of its own, see {Shape::Sending#set_single_row_mode}.
    module StreamedRows
      # Yields this row and those behind it, of a query in single-row mode.
      #
      # @yieldparam row [Hash]
      # @return [Result, Enumerator]
      # @raise [PG::Error] the server has failed; perhaps in the middle
      # @raise [InvalidResultStatus] it is no row of such a query
      def stream_each(&block) = streamed(:stream_each, block) { |result| result.each(&block) }

      # As {#stream_each}, with Arrays.
      def stream_each_row(&block) = streamed(:stream_each_row, block) { |result| result.each_row(&block) }

      # As {#stream_each}, with {Tuple}s.
      def stream_each_tuple(&block) = streamed(:stream_each_tuple, block) { |result| result.size.times { |row| yield result.tuple(row) } }

      private

      def streamed(name, block)
        return to_enum(name) unless block
        raise InvalidResultStatus, "PG::Result is not in single row mode" unless told_of.source

        told_of.source.each_result(self) { |result| yield result }
        self
      end
    end
  end
end
