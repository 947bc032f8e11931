# frozen_string_literal: true

module Sequel
  module Trunkline
    # Datasets that are read through a cursor, on a reserved connection, with few rows in memory at a time.
    module Paging
      # Sequel's own default.
      ROWS = 1000
      NAME = "sequel_cursor"
      private_constant :ROWS, :NAME

      # @yieldparam row [Hash]
      # @see #use_cursor
      def paged_each(opts = OPTS, &block)
        return enum_for(:paged_each, opts) unless block

        use_cursor(opts).each(&block)
      end

      # @param opts [Hash]
      #   rows_per_fetch: rows in memory at once, 1000
      #   cursor_name: "sequel_cursor"; nested cursors need other names
      #   hold or skip_transaction: whether no transaction is opened around it
      # @return [Dataset]
      def use_cursor(opts = OPTS) = clone(cursor: { rows_per_fetch: ROWS }.merge!(opts))

      # @param cursor_name [String]
      # @return [Dataset] for the cursor's current row
      def where_current_of(cursor_name = NAME) = clone(where: Sequel.lit(["CURRENT OF "], Sequel.identifier(cursor_name)))

      private

      def cursor_fetch_rows(sql, cursor = @opts[:cursor], &block)
        hold = cursor.fetch(:hold) { cursor[:skip_transaction] }
        server = { server: @opts[:server] || :read_only, skip_transaction: hold }
        name = quote_identifier(cursor[:cursor_name] || NAME)
        db.transaction(server) do
          within_cursor("DECLARE #{name} NO SCROLL CURSOR WITH#{"OUT" unless hold} HOLD FOR #{sql}", "CLOSE #{name}", server) do
            fetch_pages(name, cursor[:rows_per_fetch].to_i, &block)
          end
        end
      end

      # The first error is raised.
      def within_cursor(declare, close, server)
        execute_ddl(declare, server)
        yield
      rescue Exception => error # rubocop:disable Lint/RescueException
        raise
      ensure
        begin
          execute_ddl(close, server)
        rescue StandardError
          raise error || $!
        end
      end

      def fetch_pages(name, size, &block)
        size = ROWS unless size.positive?
        names = nil
        loop do
          count = execute("FETCH FORWARD #{size} FROM #{name}") do |result|
            self.columns = names = column_names(result) unless names
            ::Trunkline::Postgres.each_hash(result.rows, names, converters(result), &block)
            result.size
          end
          break if count < size
        end
      end
    end
  end
end
