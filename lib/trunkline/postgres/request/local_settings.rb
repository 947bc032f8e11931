# frozen_string_literal: true

require_relative "../statements/escaping"
require_relative "../statements/parse_context"
require_relative "../statements/sharing_errors"

module Trunkline
  module Postgres
    # Settings and a role for one query, or for one transaction. They are sent with it, and the server itself resets them at its end, however it ends.
    class LocalSettings # :nodoc:
      # The text of values depends on these, and the answer does not show how it was written.
      CHANGING_TEXT = %w[client_encoding datestyle intervalstyle bytea_output extra_float_digits lc_monetary standard_conforming_strings].freeze
      # For queries of the library itself, which have no statement_timeout. If a role has disabled nested loops or sequential scans, the planner's
      # estimate is so high that the server would compile the look-up of types: 7 s instead of 0.07 s. If one has the genetic optimizer plan every
      # join with geqo_generations = 2147483647, planning did not end.
      OWN = { statement_timeout: 0, jit: false, geqo: false }.freeze
      # This sets the generator of random numbers, which nothing resets.
      LASTING = %w[seed].freeze
      CHECKED_BY_VALUE = %w[search_path role].freeze
      VALUE_TYPES = [String, Symbol, Integer, Float, TrueClass, FalseClass].freeze
      # A table that is created there stays until the connection ends.
      TEMPORARY = /\bpg_temp/i
      # A name that needs no escaping in a literal.
      PLAIN_NAME = /\A[a-z_][a-z0-9_.]*\z/
      # To the server this is not a role, but the end of one.
      NO_ROLE = "none"
      private_constant :CHANGING_TEXT, :CHECKED_BY_VALUE, :LASTING, :VALUE_TYPES, :TEMPORARY, :NO_ROLE, :PLAIN_NAME

      include Escaping

      # @param settings [Hash{String, Symbol => String, Symbol, Integer, Float, Boolean}, nil]
      # @param role [String, Symbol, nil]
      # @return [LocalSettings, nil] nil: there is nothing to set
      # @raise [ArgumentError, TypeError, EncodingError]
      def self.of(settings, role)
        raise TypeError, "settings must be a Hash, as { \"work_mem\" => \"1MB\" }, not #{Argument.class_of(settings)}" unless nil == settings || Hash === settings
        raise TypeError, "a role must be a String or Symbol, not #{Argument.class_of(role)}" unless [NilClass, String, Symbol].any? { |kind| kind === role }

        all = role || (settings && settings.size > 1) ? merge(settings || {}, role ? { "role" => role } : {}) : settings.to_h.transform_keys(&:to_s)
        new(all) unless all.empty?
      end

      # Names are case-insensitive, and the last value of a name applies.
      #
      # @param settings [Array<Hash>] later ones override earlier ones
      # @return [Hash{String => Object}]
      def self.merge(*settings)
        settings.each_with_object({}) do |given, all|
          given.each do |name, value|
            all.delete_if { |other,| other.casecmp?(name.to_s) }
            all[name.to_s] = value
          end
        end
      end

      # @return [String] SQL that sets them until the end of the transaction
      attr_reader :sql

      # @return [ParseContext, nil] how SQL is parsed under them
      attr_reader :context

      # @param settings [Hash{String => Object}] the role is last: it may not be allowed to set the others
      def initialize(settings)
        bytes = settings.values.grep(String).sum(&:bytesize)
        refuse(bytes) if bytes > Statements::LONGEST # before they are checked and joined
        texts = settings.to_h { |name, value| [String.new(name), text_of(name, value)] } # plain Strings: what is checked is what is sent, even for subclasses
        texts.each { |name, text| check(name, text) }
        calls = texts.map { |name, text| "pg_catalog.set_config(#{quoted(name)}, #{escape_literal(text)}, true)" }
        @sql = "SELECT #{calls.join(", ")}".freeze
        refuse(@sql.bytesize) if @sql.bytesize > Statements::LONGEST
        @context = ParseContext.of(texts.transform_keys(&:downcase))
        freeze
      end

      # @return [Boolean]
      def ==(other) = other.is_a?(LocalSettings) && other.sql == sql

      # @param request [Request] to be sent outside of transactions
      # @param server [String] label for errors
      # @return [Request] the same, with the settings attached
      # @raise [SharedStateError] the request cannot take settings
      def attach(request, server)
        if request.members && !request.atomic?
          request.members.each { |member| attach(member, server) }
        else
          raise SharingErrors.settings_left_behind(request, server) if request.script || request.statement&.classification == :alone

          request.preamble = [@sql]
        end
        request
      end

      private

      def quoted(name) = name.ascii_only? && PLAIN_NAME.match?(name) ? "'#{name}'" : escape_literal(name)

      # They exceed the length of a statement.
      def refuse(bytes)
        raise ArgumentError, "the settings have #{bytes} bytes, and the server takes #{Statements::LONGEST} at most"
      end

      # @return [String] a copy: another thread may change the given one
      def text_of(name, value)
        return String.new(value) if String === value
        return value.to_s if VALUE_TYPES.any? { |kind| kind === value }

        raise ArgumentError, "the setting #{name} must be a String, number, true or false, not #{Argument.class_of(value)}"
      end

      def check(name, text)
        lower = name.downcase
        raise ArgumentError, "a setting's name or value holds a zero byte" if name.include?("\0") || text.b.include?("\0")
        if CHANGING_TEXT.include?(lower)
          raise ArgumentError, "#{name} changes how the server writes values, which could not be read then: use to_char where " \
                               "another form is wanted"
        end
        raise ArgumentError, "#{name} would outlive its query on a connection that others share: set it in session { }" if LASTING.include?(lower)

        check_lasting(lower, text) if CHECKED_BY_VALUE.include?(lower)
      end

      def check_lasting(name, value)
        if name == "search_path" && TEMPORARY.match?(value)
          raise ArgumentError, "with pg_temp in search_path a table could stay on a connection that others share: leave it out, or use session { }"
        end
        raise ArgumentError, "none is no role: the query would run as the user of the connection" if name == "role" && value == NO_ROLE
      end
    end
    private_constant :LocalSettings
  end
end
