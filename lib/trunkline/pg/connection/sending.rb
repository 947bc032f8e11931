# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Queries that are sent without waiting, and their results, one after the other. From sending to the last result, a connection is reserved. exec
      # and the like wait without blocking other fibers, and do not need these methods.
      module Sending
        include Constants

        # Sends one statement, or several, separated by semicolons.
        #
        # @param sql [String]
        # @param parameters [Array, nil] as for {#send_query_params}
        # @return [nil]
        # @raise [PG::UnableToSend] another query is in flight
        # @raise [PG::Error]
        def send_query(sql, parameters = nil, result_format = 0, type_map = nil)
          sent { @queries.send_off(sql, parameters || [], result_format, type_map || @types.for_queries) }
        end
        alias async_send_query send_query

        # Sends one statement.
        #
        # @return [nil]
        # @raise [PG::Error] as {#send_query}
        def send_query_params(sql, parameters, result_format = 0, type_map = nil)
          sent { @queries.send_off(sql, parameters, result_format, type_map || @types.for_queries, single: true) }
        end

        # Sends a statement that {Executing#prepare} has given a name.
        #
        # @return [nil]
        # @raise [PG::Error] as {#send_query}
        def send_query_prepared(name, parameters = [], result_format = 0, type_map = nil)
          sql, types = prepared(name)
          sent { @queries.send_off(sql, parameters, result_format, type_map || @types.for_queries, single: true, types: types) }
        end

        # As {Executing#prepare}; the outcome is the next result.
        #
        # @return [nil]
        def send_prepare(name, sql, types = nil) = deferred { prepare(name, sql, types) }

        # As {Executing#describe_prepared}; the outcome is the next result.
        #
        # @return [nil]
        def send_describe_prepared(name) = deferred { describe_prepared(name) }

        # Waits for the next result.
        #
        # @yieldparam result [Result] cleared after the block
        # @return [Result, Object, nil] for a failed query, its status shows that, and {Result#check} raises; nil: there are no more
        # @raise [PG::ConnectionBad] the connection was lost
        def get_result
          check_open
          result = next_result
          result && block_given? ? yielded(result) { yield result } : result
        end
        alias async_get_result get_result
        alias sync_get_result get_result

        # Waits for all results.
        #
        # @return [Result, nil] the last one that was not taken
        # @raise [PG::Error] that of a failed query
        def get_last_result
          last = nil
          while (result = next_result)
            last = result
            break if result.result_status == PGRES_COPY_IN || result.result_status == PGRES_COPY_OUT
          end
          last&.check
          last
        end
        alias async_get_last_result get_last_result
        alias sync_get_last_result get_last_result

        # Drops results that were not taken.
        #
        # @return [Boolean, nil] true: there were some; nil: there were none; false: the connection is lost
        def discard_results
          return unless @sent || @ready

          nil while next_result
          true
        rescue namespace::ConnectionBad
          false
        end

        # Reads what has arrived.
        #
        # @return [nil]
        # @raise [PG::ConnectionBad] it is closed
        def consume_input
          check_open
          @sent&.read_arrived
          nil
        rescue ::Trunkline::Error => error
          raise translated(error)
        end

        # @return [Boolean] whether {#get_result} would wait; to be called after {#consume_input}
        def is_busy = !(@sent.nil? || @sent.ready?)

        # Waits until {#get_result} would not wait.
        #
        # @param timeout [Numeric, nil] seconds; nil: no limit
        # @return [Boolean] whether that is the case
        def block(timeout = nil)
          check_open
          @sent.nil? || @sent.wait(timeout)
        rescue ::Trunkline::Error => error
          raise translated(error)
        end

        # Returns each row of the sent query as a result of its own, in bounded memory: to be called before {#get_result}.
        #
        # @return [Connection] itself
        # @raise [PG::Error] nothing was sent, several statements were, or results have been taken
        def set_single_row_mode
          raise failure(:Error, "cannot activate single row mode: no query was sent") if @sent.nil? || @sent.over?

          @sent.stream(method(:pass_on_notices))
          self
        rescue ArgumentError => error
          raise failure(:Error, "cannot activate single row mode: #{error.message}")
        end

        # Does nothing: everything is sent at once.
        #
        # @return [true]
        def flush = true
        alias async_flush flush
        alias sync_flush flush

        # Only stores the value: no method here blocks other fibers.
        #
        # @return [nil]
        def setnonblocking(wanted)
          @nonblocking = wanted ? true : false
          nil
        end
        alias nonblocking= setnonblocking
        alias async_setnonblocking setnonblocking
        alias sync_setnonblocking setnonblocking

        # @return [Boolean] the stored value
        def isnonblocking = @nonblocking
        alias nonblocking? isnonblocking
        alias async_isnonblocking isnonblocking
        alias sync_isnonblocking isnonblocking

        # The socket of the server connection, which is reserved from now on. It is only for waiting, as with IO.select: reading from it or writing to
        # it breaks the connection.
        #
        # @return [IO]
        # @raise [PG::Error]
        def socket_io
          backend_pid if @session.socket.nil?
          socket = @session.socket
          @socket = IO.for_fd(socket.fileno, autoclose: false) unless @socket&.fileno == socket.fileno
          @socket
        end

        # Cancels what was sent, or abandoned.
        #
        # @return [nil]
        def cancel
          check_open
          @sent ? @sent.cancel : @session.settle
          nil
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias async_cancel cancel
        alias sync_cancel cancel

        # Yields further results of single-row mode.
        #
        # @param first [Result]
        # @yieldparam result [Result] with one row
        def each_result(first) # :nodoc:
          result = first
          while result&.result_status == PGRES_SINGLE_TUPLE
            yield result
            result = next_result
          end
          raise failure(:NoResultError, "no result received: the results after this row were taken by another call") if result.nil?

          result.check
        end

        private

        def check_nothing_sent
          check_open
          raise failure(:UnableToSend, "another command is already in progress") unless @sent.nil? || @sent.over?
        end

        def sent
          check_nothing_sent
          @sent = yield
          nil
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end

        # Stores an outcome that is known already, for {#get_result}.
        def deferred
          check_nothing_sent
          @ready = begin
            yield
          rescue namespace::Error => error
            raise unless error.result

            error.result
          end
          nil
        end

        def next_result
          ready, @ready = @ready, nil
          return ready if ready

          found = @sent&.next
          found.nil? ? @sent = nil : given(found)
        rescue ::Trunkline::Error => error
          @sent = nil
          raise translated(error)
        end

        def given(found)
          if found.is_a?(::Trunkline::Error)
            error = translated(found)
            return error.result || raise(error)
          end
          found.with_details(nil, found.fformat_of_all, status: PGRES_SINGLE_TUPLE, source: self) if @sent.streaming?
          settled(found)
        end

        # Passes on notices of rows that arrive one by one.
        def pass_on_notices(notices)
          Postgres.const_get(:ErrorFields).each(notices) { |fields| @receiver&.call(Report.new(fields)) }
        end
      end
    end
  end
end
