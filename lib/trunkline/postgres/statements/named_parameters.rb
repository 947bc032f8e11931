# frozen_string_literal: true

module Trunkline
  module Postgres
    class Statement # :nodoc:
      # The text with $1 and so on in place of :name; determined once.
      #
      # @return [Array(String, Array<Symbol>, Boolean), nil] as Postgres.named_parameters returns it
      def named = defined?(@named) ? @named : @named = Postgres.named_parameters(sql)
    end
    private_constant :Statement

    # Parameters by name: SQL with :name, and one Hash with their values. The server gets the SQL with $1 and so on, which is prepared and cached as
    # usual.
    #
    #   db.query("SELECT name FROM users WHERE id = :id", { id: 42 })
    module NamedParameters # :nodoc:
      module_function

      # @param statements [Hash{String => Statement}]
      # @param statement [Statement]
      # @param parameters [Array]
      # @return [Array(Statement, Array)] the statement with numbers, and its parameters in their order; unchanged if the parameters are not by name
      # @raise [ArgumentError] the Hash lacks one of them
      def resolve(statements, statement, parameters)
        return [statement, parameters] unless parameters.size == 1 && Hash === parameters.first && (named = statement.named)

        [statements[named.first], values(named[1], parameters.first)]
      end

      # @param names [Array<Symbol>]
      # @param given [Hash] by Symbols or Strings; further keys are ignored
      # @return [Array]
      def values(names, given)
        names.map { |name| given.fetch(name) { given.fetch(name.name) { raise ArgumentError, missing(name, given) } } }
      end

      def missing(name, given)
        "there is no value for :#{name}: the Hash has #{given.keys.join(", ")} (the colon of a slice, as in a[1 : n], is written with a blank after it)"
      end
      private_class_method :values, :missing
    end
    private_constant :NamedParameters
  end
end
