# frozen_string_literal: true

require_relative "escaping"
require_relative "meaning"
require_relative "sharing"

module Trunkline
  module Postgres
    # Settings and a role that hold for one query, or for one transaction. They travel with it, and the server itself sets them back
    # at its end, whatever that is.
    class LocalSettings # :nodoc:
      # The text of values depends on these, and nothing tells how it was written.
      CHANGING_TEXT = %w[client_encoding datestyle intervalstyle bytea_output extra_float_digits lc_monetary standard_conforming_strings].freeze
      # What this library itself asks takes the time that it takes.
      UNLIMITED = { statement_timeout: 0 }.freeze
      WORTHS = [String, Symbol, Integer, Float, TrueClass, FalseClass].freeze
      private_constant :CHANGING_TEXT, :WORTHS

      include Escaping

      # @param settings [Hash{String, Symbol => String, Symbol, Integer, Float, Boolean}, nil]
      # @param role [String, Symbol, nil]
      # @return [LocalSettings, nil] nil: there is nothing to set
      # @raise [ArgumentError, TypeError, EncodingError]
      def self.of(settings, role)
        raise TypeError, "settings must be a Hash, not #{settings.class}" unless settings.nil? || settings.is_a?(Hash)

        all = { **(settings || {}).transform_keys(&:to_s), **(role ? { "role" => role } : {}) }
        new(all) unless all.empty?
      end

      # @return [String] SQL that sets them until the end of the transaction
      attr_reader :sql

      # @return [Meaning, nil] what SQL means under them
      attr_reader :context

      # @param settings [Hash{String => Object}] the role last: it may not be allowed to set the others
      def initialize(settings)
        settings.each { |name, value| check(name, value) }
        calls = settings.map { |name, value| "pg_catalog.set_config(#{escape_literal(name)}, #{escape_literal(value.to_s)}, true)" }
        @sql = "SELECT #{calls.join(", ")}".freeze
        check_length
        @context = Meaning.of(settings.transform_keys(&:downcase))
        freeze
      end

      # @return [Boolean]
      def ==(other) = other.is_a?(LocalSettings) && other.sql == sql

      # @param request [Request] to be sent outside of transactions
      # @param server [String] label for errors
      # @return [Request] the same, with which they travel
      # @raise [SharedStateError] they cannot
      def attach(request, server)
        if request.members && !request.atomic?
          request.members.each { |member| attach(member, server) }
        else
          check_company(request, server)
          request.preamble = [sql]
        end
        request
      end

      private

      def check_company(request, server)
        raise Sharing.settings_left_behind(request, server) if request.script || request.statement&.verdict == :alone
      end

      def check_length
        return if @sql.bytesize <= Statements::LONGEST

        raise ArgumentError, "the settings have #{@sql.bytesize} bytes, and the server takes #{Statements::LONGEST} at most"
      end

      def check(name, value)
        if CHANGING_TEXT.include?(name.downcase)
          raise ArgumentError, "#{name} changes how the server writes values, which could not be read then: use to_char where " \
                               "another form is wanted"
        end
        return if WORTHS.any? { |kind| kind === value }

        raise ArgumentError, "the setting #{name} must be a String, number, true or false, not #{value.inspect}"
      end
    end
    private_constant :LocalSettings
  end
end
