# frozen_string_literal: true

module Sequel
  module Trunkline
    # Converts parameters of a Dataset from their names in Ruby to $1, $2, ...
    module Prepared
      PLACEHOLDER = LiteralString.new("$").freeze
      private_constant :PLACEHOLDER

      # Several uses of one name are one parameter.
      module ArgumentMapper
        include Sequel::Dataset::ArgumentMapper

        protected

        def map_to_prepared_args(values) = prepared_args.map { |name| values[name.to_sym] }

        private

        def prepared_arg(name)
          at = prepared_args.index(name)
          prepared_args << name unless at
          LiteralString.new("#{prepared_arg_placeholder}#{(at || prepared_args.size - 1) + 1}")
        end
      end

      BindArgumentMethods = Sequel::Dataset.send(:prepared_statements_module, :bind, [ArgumentMapper], %w[execute execute_dui])
      PreparedStatementMethods = Sequel::Dataset.send(:prepared_statements_module, :prepare, BindArgumentMethods, %w[execute execute_dui])

      private

      def bound_variable_modules = [BindArgumentMethods]
      def prepared_statement_modules = [PreparedStatementMethods]
      def prepared_arg_placeholder = PLACEHOLDER
    end
  end
end
