# frozen_string_literal: true

module Sequel
  module Trunkline
    # The methods of sequel_pg's extension pg_streaming, by a cursor: rows are fetched 1,000 at a time, in a transaction, which is the caller's if one
    # is open. As there, results without Hashes (`map(:id)`, `select_map`, `as_hash` with columns) are read at once.
    module Streaming
      # @return [Boolean] whether all datasets of this Database stream
      attr_accessor :stream_all_queries

      # @param db [Database]
      # @raise [Sequel::Error] it is a Database of Sequel's own adapter
      def self.extended(db)
        raise Sequel::Error, "pg_streaming needs the gem sequel_pg with Sequel's own adapter: use paged_each" unless db.is_a?(Database)

        db.instance_exec { @streams = 0 }
        db.stream_all_queries = false
        db.extend_datasets(DatasetMethods)
      end

      # @return [String] a cursor's name: nested ones need different names
      def stream_name = "sequel_stream_#{@streams += 1}" # :nodoc:

      # For the datasets of such a Database.
      module DatasetMethods
        # Statements for which a cursor can be declared; others are read at once, and so are those with parameters: their DECLARE would be prepared
        # once for each cursor's name.
        DECLARABLE = /\A[\s(]*(?:SELECT|VALUES|TABLE)\b/i
        private_constant :DECLARABLE

        # @return [Dataset] whose rows are read as they are needed
        def stream = clone(stream: true)

        # @yieldparam row [Hash{Symbol => Object}]
        def fetch_rows(sql, &block)
          return super unless streams?(sql)

          cursor_fetch_rows(sql, { cursor_name: db.stream_name }, &block)
        end

        private

        def streams?(sql)
          (@opts[:stream] || db.stream_all_queries) && !@opts[:cursor] && sql.is_a?(String) && !parameters?(sql) && DECLARABLE.match?(sql)
        end

        # Parameters of a prepared or bound statement, or of the extension pg_auto_parameterize.
        def parameters?(sql) = [@opts[:bind_arguments], (sql.args if sql.respond_to?(:args))].any? { |given| given && !given.empty? }
      end
    end
  end
end
