# frozen_string_literal: true

require_relative "../../errors"

module Trunkline
  module Postgres
    # Why a statement cannot use a shared connection, and what to call instead.
    module SharingErrors # :nodoc:
      REASONS = {
        transaction: "%<culprit>s would begin or end a transaction on a shared connection: use transaction { }, or session { }",
        savepoint: "%<culprit>s needs a transaction, and this connection is shared: use transaction { }, which nests, or session { }",
        setting: "%<culprit>s would change settings of a shared connection: use with(settings:, role:), session { } or transaction { }",
        session: "%<culprit>s may leave state in its session, or relies on some, and this connection is shared: use session { } or " \
                 "transaction { }",
        listen: "%<culprit>s would make a shared connection listen: use listen, or session { }",
        copy: "%<culprit>s transfers rows in COPY messages, which query does not read or write: use copy_in or copy_out",
        script: "%<culprit>s is followed by further statements: use execute_script, which runs them on a session of their own",
        unknown: "because of %<culprit>s it is not known whether the statement leaves session state on a shared connection: " \
                 "check it, or use session { }"
      }.freeze
      # For a statement whose text does not show its effect.
      LEAKED_BEFORE = "the statement, which begins with %<culprit>s, has left session state on a shared connection before: use session { } " \
                      "or transaction { }, and name the function that does it in session_functions:"
      SETTINGS_LEFT_BEHIND = "%<culprit>s cannot run inside a transaction block, in which settings: and role: are set: use session { }, " \
                             "and set them there"
      SETTINGS_TOO_LATE = "a transaction is open already, and settings: and role: would stay until its end: begin it with " \
                          "with(settings:, role:).transaction { }, or use SET LOCAL"
      # In an atomic batch.
      NOT_IN_ATOMIC_BATCH = "%<culprit>s cannot run inside a transaction block, which an atomic batch is: execute it outside of the batch"
      # In the block of a transaction.
      ENDS_WITH_ITS_BLOCK = "%<culprit>s cannot be executed here, as the transaction ends with its block: call rollback to undo it"
      # In a batch, after a statement that changes settings.
      TYPES_UNKNOWN = "a value for %<sql>s depends on its type, which a statement before it in the same batch may change: execute that one " \
                      "first, and the others afterwards"
      # Behind a pooler that gives each transaction another server session.
      POOLED = "%<culprit>s needs one server session throughout, and the pooler in between gives each transaction another one: %<way>s, or set " \
               "session_url: to an address of the server itself, or pooler: :session where the pooler keeps a session for each client"
      POOLED_TRANSACTION = "%<culprit>s needs one server session throughout, and this transaction goes through a pooler: %<way>s, or begin the " \
                           "transaction within session { }, which goes over session_url:"
      POOLED_SESSION = "%<culprit>s needs one server session throughout, and session_url: leads to a pooler, too: set it to an address of the server itself"
      WAYS = {
        setting: "use with(settings:, role:), or SET LOCAL in a transaction", listen: "listen at the server itself",
        lock: "use pg_advisory_xact_lock in a transaction", temporary: "create it ON COMMIT DROP in a transaction",
        hold: "use stream, or a cursor in a transaction", prepared: "leave it to the client, which prepares statements itself",
        other: "use a form that ends with its transaction, in a transaction"
      }.freeze
      # Characters of the SQL that are quoted.
      LONGEST = 40
      private_constant :REASONS, :LEAKED_BEFORE, :SETTINGS_LEFT_BEHIND, :SETTINGS_TOO_LATE, :NOT_IN_ATOMIC_BATCH, :ENDS_WITH_ITS_BLOCK, :TYPES_UNKNOWN,
                       :POOLED, :POOLED_TRANSACTION, :POOLED_SESSION, :WAYS, :LONGEST

      module_function

      # @param statement [Statement] not shareable
      # @param server [String] label
      # @return [SharedStateError]
      def refusal(statement, server) = error(statement.leaky? ? LEAKED_BEFORE : REASONS.fetch(statement.classification), statement, server)

      # @param statement [Statement] of transaction control, in the block of a transaction
      # @param server [String] label
      # @return [SharedStateError]
      def transaction_control_in_block(statement, server) = error(ENDS_WITH_ITS_BLOCK, statement, server)

      # @param request [Request] of a script, or of a statement that cannot run in a transaction
      # @param server [String] label
      # @return [SharedStateError]
      def settings_left_behind(request, server)
        return error(SETTINGS_LEFT_BEHIND, request.statement, server) if request.statement

        SharedStateError.new(format(SETTINGS_LEFT_BEHIND, culprit: "a script"), sql: request.script, server: server)
      end

      # @param request [Request, nil] that needs a session; nil: a LISTEN of the library itself
      # @param need [Symbol] of {SessionNeed}
      # @param server [String] label
      # @param where [Symbol] :anywhere; :transaction, session_url: is given, but cannot be used as a transaction is open; :session, over session_url:
      # @return [SharedStateError]
      def behind_pooler(request, need, server, where = :anywhere)
        reason = { anywhere: POOLED, transaction: POOLED_TRANSACTION, session: POOLED_SESSION }.fetch(where).sub("%<way>s", WAYS.fetch(need))
        return error(reason, request.statement, server) if request&.statement

        SharedStateError.new(format(reason, culprit: request ? "the script" : "LISTEN"), sql: request&.script, server: server)
      end

      # @param statement [Statement] that cannot run in a transaction
      # @param server [String] label
      # @return [SharedStateError]
      def not_in_atomic_batch(statement, server) = error(NOT_IN_ATOMIC_BATCH, statement, server)

      # @param statement [Statement] that changes how later ones in the same transaction are parsed
      # @param server [String] label
      # @return [SharedStateError]
      def settings_in_batch(statement, server) = error(REASONS.fetch(:setting), statement, server)

      # @param request [Request] for a transaction that was begun with other settings
      # @param server [String] label
      # @return [SharedStateError]
      def settings_too_late(request, server) = SharedStateError.new(SETTINGS_TOO_LATE, sql: request&.statement&.sql, server: server)

      # @param statement [Statement] in a batch
      # @param server [String] label
      # @return [SharedStateError]
      def types_unknown(statement, server)
        SharedStateError.new(format(TYPES_UNKNOWN, sql: ShortenedSQL.call(statement.sql)), sql: statement.sql, server: server)
      end

      def error(reason, statement, server)
        culprit = statement.culprit.strip
        culprit = "#{culprit[0, LONGEST]}..." if culprit.size > LONGEST
        SharedStateError.new(format(reason, culprit: culprit), sql: statement.sql, server: server)
      end

      private_class_method :error
    end
    private_constant :SharingErrors
  end
end
