# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # COPY, as PG::Connection has it.
      module Copying
        # Runs a COPY, and the block, which puts the data or gets it.
        #
        #   connection.copy_data("COPY users FROM STDIN") { connection.put_copy_data("1\tAda\n") }
        #   connection.copy_data("COPY users TO STDOUT") { while (line = connection.get_copy_data) do puts line end }
        #
        # @param sql [String]
        # @param coder [#encode, #decode, nil] of pg, PG::TextEncoder::CopyRow for example
        # @yieldparam result [nil]
        # @return [Integer, nil] rows that were copied
        # @raise [PG::NotAllCopyDataRetrieved] the block has not got all the data
        # @raise [PG::Error]
        def copy_data(sql, coder = nil)
          raise failure(:LostCopyState, "another COPY is going on") if @copy

          @session.together { copied(sql, coder) { |result| yield result } }
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end

        # @param data [String, Array] a line, or part of the data; with an encoder what it encodes
        # @param encoder [#encode, nil] of pg
        # @return [true]
        # @raise [PG::Error]
        def put_copy_data(data, encoder = @coder || default_encoder)
          copy(:in).write(encoder ? encoder.encode(data) : data)
          true
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias async_put_copy_data put_copy_data
        alias sync_put_copy_data put_copy_data

        # @param decoder [#decode, nil] of pg
        # @return [String, Object, nil] the next line, or what the decoder makes of it; nil: it was the last one
        # @raise [PG::Error]
        def get_copy_data(_async = false, decoder = @coder || default_decoder)
          line = copy(:out).read
          @all_read = true unless line
          line && decoder ? decoder.decode(line) : line
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias async_get_copy_data get_copy_data
        alias sync_get_copy_data get_copy_data

        private

        # Classes may have some.
        def default_encoder = nil
        def default_decoder = nil

        def copied(sql, coder)
          @copy = @session.copy(sql)
          @coder = coder
          @all_read = @copy.direction == :in
          yield nil
          raise failure(:NotAllCopyDataRetrieved, "Not all COPY data retrieved") unless @all_read

          copy, @copy = @copy, nil
          copy.finish
        ensure
          @copy&.abort
          @copy = @coder = nil
        end

        def copy(direction)
          return @copy if @copy&.direction == direction

          raise failure(:LostCopyState, "no COPY is going on in this direction: use copy_data")
        end
      end
    end
  end
end
