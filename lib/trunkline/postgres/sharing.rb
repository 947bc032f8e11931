# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  module Postgres
    # Why a statement may not go over a connection that others share, and what to call instead.
    module Sharing # :nodoc:
      REASONS = {
        transaction: "%<culprit>s would begin or end a transaction on a connection that others share: use transaction { }, or session { }",
        savepoint: "%<culprit>s belongs into a transaction, and this connection is shared: use transaction { }, which nests, or session { }",
        setting: "%<culprit>s would change settings of a connection that others share: use session { } or transaction { }",
        session: "%<culprit>s may leave state in its session, or relies on some, and this connection is shared: use session { } or " \
                 "transaction { }",
        listen: "%<culprit>s would make a connection listen that others share: use session { }",
        copy: "%<culprit>s moves rows in a way of its own, for which a query has no place",
        script: "behind %<culprit>s come more statements: use execute_script, which runs them on a session of their own",
        unknown: "because of %<culprit>s the statement cannot be told from one that leaves state on a connection that others share: " \
                 "check it, or use session { }"
      }.freeze
      # Within the block of a transaction.
      ENDS_WITH_ITS_BLOCK = "%<culprit>s is not for a statement here: the transaction ends with its block; to undo it, call rollback"
      # Characters of the SQL that are quoted.
      LONGEST = 40
      private_constant :REASONS, :ENDS_WITH_ITS_BLOCK, :LONGEST

      module_function

      # @param statement [Statement] not shareable
      # @param server [String] label
      # @return [SharedStateError]
      def refusal(statement, server) = error(REASONS.fetch(statement.verdict), statement, server)

      # @param statement [Statement] of transaction control, in the block of a transaction
      # @param server [String] label
      # @return [SharedStateError]
      def misplaced_end(statement, server) = error(ENDS_WITH_ITS_BLOCK, statement, server)

      def error(reason, statement, server)
        culprit = statement.culprit.strip
        culprit = "#{culprit[0, LONGEST]}..." if culprit.size > LONGEST
        SharedStateError.new(format(reason, culprit: culprit), sql: statement.sql, server: server)
      end

      private_class_method :error
    end
    private_constant :Sharing
  end
end
