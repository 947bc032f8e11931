# frozen_string_literal: true

module Trunkline
  module Postgres
    # Converts rows to objects of a class.
    module Records # :nodoc:
      # Ruby's messages for wrong arguments.
      RUBYS_OWN = /\A(unknown keyword|missing keyword|wrong number of arguments)/
      private_constant :RUBYS_OWN

      module_function

      # @raise [TypeError] it cannot make objects of rows
      def check(type)
        raise TypeError, "as: is for other classes than Hash: rows are Hashes without it, with Symbols as keys of a client with keys: :symbol" if Class === type && type <= Hash
        return if Class === type && type.respond_to?(:new)

        raise TypeError, "as: takes a class (a Struct, a Data, or one whose new takes keywords), not #{Argument.shown(type)}"
      end

      # @param type [Class]
      # @param columns [Array<String>] names; of two equal ones the later applies
      # @param rows [Array<Array>]
      # @return [Array<Object>]
      def of(type, columns, rows)
        check(type)
        names = columns.map(&:to_sym)
        return members(type, names, rows) if type < Struct

        rows.map { |row| type.new(**names.zip(row).to_h) }
      rescue ArgumentError => error
        raise unless RUBYS_OWN.match?(error.message)

        raise ArgumentError, "#{type}.new must take the columns as keywords (#{names.join(", ")}): #{error.message}"
      end

      def members(type, names, rows)
        unknown = names - type.members
        raise ArgumentError, "#{type} has no member #{unknown.join(", ")}: its members are #{type.members.join(", ")}" unless unknown.empty?
        return rows.map { |row| type.new(**names.zip(row).to_h) } if type.keyword_init?

        indexes = type.members.map { |member| names.rindex(member) }
        rows.map { |row| type.new(*indexes.map { |index| index && row[index] }) }
      end
      private_class_method :members
    end
    private_constant :Records
  end
end
