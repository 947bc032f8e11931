# frozen_string_literal: true

module Trunkline
  module PG
    # Rows of a result whose values the coders of a type map have decoded.
    module DecodedRows # :nodoc:
      # @param sent [Array<Array<String, nil>>] rows as the server sent them
      # @param decoders [Array<#decode, nil>] one for each column; nil: the server's text
      # @return [Array<Array>] other rows, or the same if there is no decoder
      def self.of(sent, decoders)
        return sent unless decoders.any?

        rows = sent.map(&:dup)
        decoders.each_with_index { |decoder, column| decode(rows, decoder, column) if decoder }
        rows
      end

      def self.decode(rows, decoder, column)
        rows.each_with_index do |row, at|
          value = row[column]
          row[column] = decoder.decode(value, at, column) unless value.nil?
        end
      end
      private_class_method :decode
    end
    private_constant :DecodedRows
  end
end
