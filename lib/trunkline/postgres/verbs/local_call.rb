# frozen_string_literal: true

require_relative "../request/local_settings"

module Trunkline
  module Postgres
    # Calls with settings, a role or a shared flush of their own: their requests are those of the client, session or transaction that they are
    # made on, and take these along. For one call, or for all of a Scope.
    class LocalCall # :nodoc:
      include Querying

      # What a request is performed by, as it is to share a flush.
      WAYS = { nil => :perform, true => :commit_together, false => :commit_apart }.compare_by_identity.freeze
      private_constant :WAYS

      # @param base [Internals] of the client, session or transaction that sends the requests
      # @param responses [ResponseReader] of the base
      # @param result_class [Class]
      # @param statements [Hash{String => Statement}] of the caller, as SQL means it under the settings
      # @param local [LocalSettings, nil]
      # @param group_commit [Boolean, nil]
      # @param unnamed [Boolean] whether no connection keeps its statements
      def initialize(base, responses, result_class, statements, local, group_commit, unnamed: false)
        @base = base
        @responses = responses
        @result_class = result_class
        @local = local
        @statements = statements
        @way = WAYS.fetch(group_commit) { raise ArgumentError, "group_commit must be true, false or nil, not #{Argument.shown(group_commit)}" }
        @unnamed = unnamed
      end

      private

      def perform(request)
        prepare_once(request) if @unnamed
        @base.perform_with(@local, @way, request)
      end

      def dispatch(request)
        prepare_once(request) if @unnamed
        @base.dispatch_with(@local, request)
      end

      def begins_elsewhere?(request) = @base.begins_elsewhere?(request)
      def holds_connection? = @base.holds_connection?

      def prepare_once(request) = (members = request.members) ? members.each(&:unnamed!) : request.unnamed!
    end
    private_constant :LocalCall
  end
end
