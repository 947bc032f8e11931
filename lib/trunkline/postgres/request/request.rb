# frozen_string_literal: true

module Trunkline
  module Postgres
    class Request # :nodoc:
      # The caller does not wait for it any more.
      #
      # @param failure [Loss, Abandonment]
      def abandon(failure)
        return members.each { |member| member.abandon(failure) } if members

        self.fail(failure)
      end
    end
    private_constant :Request
  end
end
