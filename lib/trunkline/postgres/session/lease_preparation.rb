# frozen_string_literal: true

require_relative "../parameters"
require_relative "../statements/session_remains"
require_relative "../statements/sharing_errors"
require_relative "../statements/value_formats"

module Trunkline
  module Postgres
    # Prepares a request for a leased connection: notes its effect on the session, and converts its parameters to the types that they have in this
    # session.
    class LeasePreparation # :nodoc:
      # @param lease [SessionLease]
      # @param use [SessionUse] of the lease
      # @param responses [ResponseReader]
      def initialize(lease, use, responses)
        @lease = lease
        @use = use
        @responses = responses
      end

      # @param request [Request] of a statement, of several or of a script; not sent
      # @raise [SharedStateError] its parameters' types are unknown here, its values would be decoded wrongly, or its effect does not last behind a
      #   pooler
      def prepare(request)
        return if request.statement&.changes_nothing? && !@lease.changed_parse_context?

        changes = false
        (request.members || [request]).each do |member|
          raise SharingErrors.types_unknown(member.statement, @lease.server) if changes && member.given

          @lease.pooler_check.check(member)
          @lease.note_last_value_read if SessionRemains.may_read_last_value?(member)
          check_formats(member)
          adapt(member)
          changes |= @use.note(member, @lease.changed_parse_context?)
        end
      end

      private

      # A connection on which nothing was sent yet has the formats with which it was opened.
      def check_formats(request)
        return if request.statement&.shareable? && !@lease.changed_parse_context?

        codec = @lease.trunk&.codec
        formats = ValueFormats.new(codec ? codec.given_parameters : {})
        formats.check(request, @lease.server)
        formats.check_session(request, codec.parameters, @lease.server) if codec
      end

      # What the client remembers of a statement may not apply here.
      def adapt(request)
        return unless request.given && @lease.changed_parse_context?
        return if request.statement.declared? || @lease.remembers?(request.statement)

        description = Request.describe(request.statement).copy_limits(request)
        @lease.transmit(description)
        raise @responses.error(description) unless description.answered?

        types = description.parameter_types
        request.convert_to(types, Parameters.convert(request.given, @responses.parameter_types(types), @responses.array_nulls))
      end
    end
    private_constant :LeasePreparation
  end
end
