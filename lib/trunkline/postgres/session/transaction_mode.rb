# frozen_string_literal: true

module Trunkline
  module Postgres
    # The options of BEGIN. https://www.postgresql.org/docs/current/sql-begin.html
    module TransactionMode # :nodoc:
      ISOLATION = {
        serializable: "ISOLATION LEVEL SERIALIZABLE", repeatable_read: "ISOLATION LEVEL REPEATABLE READ",
        read_committed: "ISOLATION LEVEL READ COMMITTED", read_uncommitted: "ISOLATION LEVEL READ UNCOMMITTED"
      }.compare_by_identity.freeze
      READ_ONLY = { true => "READ ONLY", false => "READ WRITE" }.compare_by_identity.freeze
      DEFERRABLE = { true => "DEFERRABLE", false => "NOT DEFERRABLE" }.compare_by_identity.freeze
      BEGIN_AS_USUAL = "BEGIN"
      private_constant :BEGIN_AS_USUAL, :ISOLATION, :READ_ONLY, :DEFERRABLE

      module_function

      # nil leaves an option to the server.
      #
      # @return [String] SQL
      # @raise [ArgumentError] an invalid value
      def opening(isolation, read_only, deferrable)
        return BEGIN_AS_USUAL if nil == isolation && nil == read_only && nil == deferrable

        modes = [mode("isolation", isolation, ISOLATION), mode("read_only", read_only, READ_ONLY), mode("deferrable", deferrable, DEFERRABLE)]
        [BEGIN_AS_USUAL, *modes].compact.join(" ").freeze
      end

      def mode(option, value, known)
        return if nil == value

        known.fetch(value) { raise ArgumentError, "#{option} must be #{known.keys.map(&:inspect).join(", ")} or nil, not #{Argument.shown(value)}" }
      end

      private_class_method :mode
    end
    private_constant :TransactionMode
  end
end
