# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # COPY with the methods of PG::Connection.
      module Copying
        include Constants

        # Matches a COPY whose caller sends or receives the data, also behind comments, as query logs put them before a statement.
        COPY = %r{\A(?:\s++|--[^\n]*+|(?<comment>/\*(?:[^*/]++|\*(?!/)|/(?!\*)|\g<comment>)*+\*/))*+COPY\b.*\b(?:FROM|TO)\s+STD(?:IN|OUT)\b}im
        private_constant :COPY

        # @return [Boolean] whether the SQL is such a COPY
        def self.begins?(sql) = sql.is_a?(String) && sql.valid_encoding? && COPY.match?(sql) # :nodoc:

        # Runs a COPY, and the block, which sends or receives the data.
        #
        #   connection.copy_data("COPY users FROM STDIN") { connection.put_copy_data("1\tAda\n") }
        #   connection.copy_data("COPY users TO STDOUT") { while (line = connection.get_copy_data) do puts line end }
        #
        # @param sql [String]
        # @param coder [#encode, #decode, nil] of pg, for example PG::TextEncoder::CopyRow
        # @yieldparam result [Result] PGRES_COPY_IN or PGRES_COPY_OUT, with the number of columns
        # @return [Result] PGRES_COMMAND_OK, whose cmd_tuples are the copied rows
        # @raise [PG::NotAllCopyDataRetrieved] the block has not read all the data
        # @raise [PG::Error]
        def copy_data(sql, coder = nil)
          raise failure(:LostCopyState, "another COPY is running") if @copy

          sql = Queries.utf8(sql)
          @session.together { copied(sql, coder) { |result| yield result } }
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end

        # @param data [String, Array] a line, or part of the data; with an encoder, the value to encode
        # @param encoder [#encode, nil] of pg
        # @return [true]
        # @raise [PG::Error]
        # @raise [TypeError] the encoder is invalid
        def put_copy_data(data, encoder = @coder || @types.copy_encoder)
          raise TypeError, "wrong argument type #{encoder.class} (expected some kind of PG::Coder)" unless encoder.nil? || encoder.respond_to?(:encode)

          data = Queries.utf8(data)
          copy(:in).write(encoder ? encoder.encode(data) : data)
          true
        rescue ::Trunkline::ServerError => error
          @open_copy || raise(translated(error)) # if put_copy_end ends it, the refusal is its result, whenever that was read
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias async_put_copy_data put_copy_data
        alias sync_put_copy_data put_copy_data

        # @param decoder [#decode, nil] of pg
        # @return [String, Object, nil] the next line, decoded if there is a decoder; nil: there are no more
        # @raise [PG::Error]
        # @raise [TypeError] the decoder is invalid
        def get_copy_data(_async = false, decoder = @coder || @types.copy_decoder)
          raise TypeError, "wrong argument type #{decoder.class} (expected some kind of PG::Coder)" unless decoder.nil? || decoder.respond_to?(:decode)

          line = copy(:out).read
          @all_read = true unless line
          end_open_copy if line.nil? && @open_copy
          line && decoder ? decoder.decode(line) : line
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias async_get_copy_data get_copy_data
        alias sync_get_copy_data get_copy_data

        # Ends a COPY that exec has begun; the COPY's outcome is the next result.
        #
        # @param error_message [String, nil] the reason for which nothing is stored; nil: all was sent
        # @return [true]
        # @raise [PG::Error] there is no such COPY
        def put_copy_end(error_message = nil)
          copy(:in)
          raise failure(:Error, "copy_data ends its COPY itself, after its block") unless @open_copy

          error_message ? end_open_copy { fail_copy(Queries.utf8(error_message)) } : end_open_copy
          true
        end
        alias async_put_copy_end put_copy_end
        alias sync_put_copy_end put_copy_end

        private

        # Begins a COPY without copy_data: put_copy_end, or reading all of it, ends it.
        def open_copy(sql)
          raise failure(:LostCopyState, "another COPY is running") if @copy

          @session.hold
          @copy = @session.copy(sql)
          @open_copy = true
          begun(@copy)
        rescue ::Trunkline::Error
          @session.release_held
          raise
        end

        # @return [Result] as libpq returns for a COPY in progress
        def begun(copy)
          columns = copy.columns
          description = Postgres.const_get(:KeptDescription).new([""] * columns, [0] * columns, [-1] * columns)
          status = copy.direction == :in ? PGRES_COPY_IN : PGRES_COPY_OUT
          Result.new([], description, nil).with_details("", copy.binary? ? :binary : :text, status: status)
        end

        def rows_copied(rows) = Result.new([], Postgres.const_get(:Description).empty, rows).with_details("COPY #{rows}")

        def end_open_copy
          copy, @copy = @copy, nil
          @open_copy = false
          deferred { block_given? ? yield(copy) : rows_copied(copy.finish) }
        rescue ::Trunkline::Error => error
          @ready = translated(error).result or raise translated(error)
        ensure
          copy&.abort
          @session.release_held
        end

        # Another query ends a COPY that its caller has left open, as with libpq.
        def end_open
          discard_results if @sent || @ready
          return unless @open_copy

          copy, @copy = @copy, nil
          @open_copy = false
          copy.abort("COPY terminated by a new query")
          @session.release_held
        end

        def fail_copy(message) = refused(:QueryCanceled, "57014", "COPY from stdin failed: #{message}").result

        def copied(sql, coder)
          @copy = @session.copy(sql)
          @coder = coder
          @all_read = @copy.direction == :in
          yield begun(@copy)
          raise failure(:NotAllCopyDataRetrieved, "Not all COPY data retrieved") unless @all_read

          copy, @copy = @copy, nil
          rows_copied(copy.finish)
        ensure
          @copy&.abort
          @copy = @coder = nil
        end

        def copy(direction)
          return @copy if @copy&.direction == direction

          raise failure(:LostCopyState, "no COPY is running in this direction: use copy_data")
        end
      end
    end
  end
end
