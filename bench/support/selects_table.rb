# frozen_string_literal: true

require_relative "table"

module Trunkline
  module Bench
    # How several sides got through selects by primary key.
    module SelectsTable
      HEADERS = ["side", "queries/s", "client CPU us/query", "server CPU us/query", "objects/query", "connections"].freeze
      private_constant :HEADERS

      module_function

      # @param rates [Hash{String => Hash}] see {Comparison#rates}
      # @return [Table]
      def of(rates, title: "Selects by primary key")
        Table.new(HEADERS, rates.map { |side, result| [side, *cells(result)] }, title: title, drawn: HEADERS[1])
      end

      def cells(result)
        [result[:rate].round.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ","),
         *result.values_at(:cpu_each, :server_cpu_each, :objects_each).map { |number| number&.round(1) }, result[:connections].round]
      end
      private_class_method :cells
    end
  end
end
