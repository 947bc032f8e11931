# frozen_string_literal: true

module Trunkline
  module Postgres
    class Request # :nodoc:
      # When the server says that it has cancelled the statement, has it had no effect? A procedure may commit in between, and
      # so do commands that refuse to run within a transaction.
      def repeatable? = statement&.verdict == :shareable

      # Nobody waits for it any more.
      #
      # @param failure [Loss, GivenUp]
      def abandon(failure)
        return members.each { |member| member.abandon(failure) } if members

        give_up(failure)
      end
    end
    private_constant :Request
  end
end
