# frozen_string_literal: true

require_relative "../../trunk/undumpable"

module Trunkline
  module Postgres
    # A column of a result, or a parameter, which has a name only if the SQL has :name; with its type in SQL, "numeric(10,2)", the type's OID, and its
    # modifier, -1: none.
    Column = Struct.new(:name, :type, :oid, :modifier)

    # The parameters and columns of a statement.
    StatementDescription = Struct.new(:parameters, :columns)

    # A statement that the server has described. It can be run any number of times, by any fiber or thread, for as long as the object that has
    # prepared it exists: a client, or a session until its end. Connections prepare it when they first run it.
    #
    # @see Describing#prepare
    class PreparedStatement
      include OtherCalls
      include Undumpable

      # @return [String]
      attr_reader :sql

      def initialize(owner, sql, description) # :nodoc:
        @owner = owner
        @sql = sql
        @description = description
      end

      # @return [Array<Column>] one for each placeholder
      def parameters = @description.parameters

      # @return [Array<Column>]
      def columns = @description.columns

      # @return [Result]
      # @see Querying#query
      def query(*parameters, **options, &block) = @owner.query(@sql, *parameters, **options, &block)

      # @return [Hash, nil]
      # @see Querying#first
      def first(*parameters, **options) = @owner.first(@sql, *parameters, **options)

      # @return [Object, nil]
      # @see Querying#value
      def value(*parameters, **options) = @owner.value(@sql, *parameters, **options)

      # @return [Array]
      # @see Querying#column
      def column(*parameters, **options) = @owner.column(@sql, *parameters, **options)

      # @return [Future]
      # @see Querying#async
      def async(*parameters, **options) = @owner.async(@sql, *parameters, **options)

      # @return [String]
      def inspect = "#<#{self.class} #{ShortenedSQL.call(@sql)}>"
    end
  end
end
