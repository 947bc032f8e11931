# frozen_string_literal: true

require_relative "copy"
require_relative "other_rows"
require_relative "../parameters"
require_relative "../parameters/binary_value"

module Trunkline
  module Postgres
    # Accepts rows in the block of {Copying#copy_in}.
    class CopyIn
      include OtherRows

      # Bytes that are read at a time from an IO, or taken from a long String.
      PIECE = Copy::AT_ONCE
      # Encodings whose bytes are sent as they are.
      UNCHANGED = [Encoding::UTF_8, Encoding::BINARY, Encoding::US_ASCII].freeze
      # Header and trailer of the binary format.
      SIGNATURE = "PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0".b.freeze
      TRAILER = "\xFF\xFF".b.freeze
      private_constant :PIECE, :UNCHANGED, :SIGNATURE, :TRAILER

      # @param copy [Copy] begun
      # @param source [CopySource]
      def initialize(copy, source) # :nodoc:
        @copy = copy
        @source = source
        @plain = source.plain?
        @binary = copy.binary?
        @columns = copy.columns
        @rows = Bytes.new # rows and other data, in order
        @signed = false
      end

      # Sends a row, or data in the statement's format.
      #
      # @param item [Array, String, #read] one value for each column, of the same classes as parameters of a query; or data, split anywhere; or an IO
      #   with data
      # @return [CopyIn]
      # @raise [ArgumentError, TypeError, EncodingError] the row has too few or too many values, or one that cannot be sent. It is skipped; the COPY
      #   continues, if the block does
      # @raise [ServerError] data sent before could not be stored
      # @raise [Error] the connection was lost, or the deadline has passed
      def <<(item)
        case item
        when Array then add(item)
        when String then write(item)
        else read_from(item)
        end
        self
      end

      def finish # :nodoc:
        @rows << TRAILER if @signed
        flush
      end

      private

      def flush
        @copy.write_rows(@rows) unless @rows.empty?
      end

      def add(row)
        @source.check_plain unless @plain
        raise ArgumentError, "the row has #{row.size} values, and the COPY #{@columns} columns" unless row.size == @columns

        size = @binary ? encode_binary(row) : Postgres.copy_text(@rows, row, false) || Postgres.copy_text(@rows, converted(row), true)
        flush if size >= Copy::AT_ONCE
      end

      # The column's type must be known for values whose form depends on it.
      def converted(row)
        row.each_with_index.map { |value, at| Parameters::Parameter.new(at + 1, "column #{at + 1}", array_nulls: @source.array_nulls).convert(value, types[at]) }
      end

      def encode_binary(row)
        @rows << SIGNATURE unless @signed
        @signed = true
        Postgres.copy_binary(@rows, row, types, false) || Postgres.copy_binary(@rows, converted_to_binary(row), types, true)
      end

      def converted_to_binary(row)
        row.each_with_index.map { |value, at| Parameters::BinaryValue.new("column #{at + 1}", types[at]).convert(value) }
      end

      def types
        @types ||= begin
          @source.check(@copy)
          @source.types
        end
      end

      def write(data)
        data = data.encode(Encoding::UTF_8) unless UNCHANGED.include?(data.encoding) || @binary
        return collect(data) if data.bytesize <= PIECE

        0.step(data.bytesize - 1, PIECE) { |at| collect(data.byteslice(at, PIECE)) }
      end

      # Many short pieces are collected for one write.
      def collect(data)
        @rows << data
        flush if @rows.size >= Copy::AT_ONCE
      end

      def read_from(io)
        raise TypeError, "rows are Arrays, Strings or IOs, not #{io.class}" unless io.respond_to?(:read)

        piece = +""
        write(piece) while io.read(PIECE, piece)
      end
    end
  end
end
