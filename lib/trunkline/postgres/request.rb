# frozen_string_literal: true

module Trunkline
  module Postgres
    class Request # :nodoc:
      # When the server says that it has cancelled the statement, has it had no effect? A procedure may commit in between, and
      # so do commands that refuse to run within a transaction.
      def repeatable? = statement&.verdict == :shareable
    end
    private_constant :Request
  end
end
