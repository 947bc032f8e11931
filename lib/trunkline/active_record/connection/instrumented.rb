# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # Instrumentation prepends modules to PG::Connection: Datadog, OpenTelemetry and rack-mini-profiler do, around exec, exec_params and the like. The same
    # modules are prepended to the class of the adapter's connections, which has methods of its own. The adapter's statements, which are run by other methods,
    # then go through those that the stock adapter calls. Without such modules nothing of this is in the way.
    module Instrumented # :nodoc:
      # What the stock adapter calls: for `execute` and its own BEGIN and COMMIT; for queries.
      METHODS = %i[async_exec exec_params].freeze
      # For queries without parameters: since Rails 8.0 the first of them.
      BARE = ::ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.private_method_defined?(:perform_query) ? :async_exec : :exec_params
      WHOLE = AdapterStatements.instance_method(:execute_statement)
      # Of the adapter's statements, for the class of connections: below the modules of others.
      module Passing # :nodoc:
        # With a result, at which the other modules look.
        def execute_transaction_control(sql) = passed(sql, [], :async_exec) { |text| WHOLE.bind_call(self, text, [], :again) }

        # A text that another module has changed, as by a comment for each call, is not kept for its own sake.
        def execute_statement(sql, parameters, prepare = true)
          passed(sql, parameters) { |text| super(text, parameters, text == sql ? prepare : :again) }
        end

        # It was sent before, so its text is what it was.
        def receive_result(future, sql, parameters) = passed(sql, parameters) { super(future, sql, parameters) }

        METHODS.each do |name|
          define_method(name) do |sql, *others, &block|
            statement, @passed = @passed, nil
            statement ? statement.call(sql) : super(sql, *others, &block)
          end
        end

        private

        def passed(sql, parameters, method = parameters.empty? ? BARE : :exec_params, &statement)
          @passed = statement
          method == :exec_params ? exec_params(sql, parameters) : async_exec(sql)
        ensure
          @passed = nil
        end
      end
      private_constant :METHODS, :BARE, :WHOLE, :Passing

      @replaced = false

      class << self
        # Prepends to a class of connections what others have prepended to PG::Connection since.
        #
        # @param type [Class]
        # @return [void]
        def follow(type)
          warn_of_replaced unless @replaced
          others = before(::PG::Connection) - before(type)
          return if others.empty?

          type.prepend(Passing)
          others.reverse_each { |other| type.prepend(other) }
        end

        private

        def before(type) = type.ancestors.take_while { |one| !one.equal?(type) }

        # A method that takes the place of PG::Connection's own, and calls that by another name, can be called by nothing here. Those of the pg gem are in C.
        def warn_of_replaced
          file, = METHODS.filter_map { |name| own(name).source_location }.first
          return if file.nil?

          @replaced = true
          warn("trunkline: #{file} has replaced methods of PG::Connection, and sees no statements of this adapter: see guides/rails.md#instrumentation")
        end

        # Below what is prepended.
        def own(name)
          method = ::PG::Connection.instance_method(name)
          method = method.super_method until method.owner.equal?(::PG::Connection)
          method
        end
      end
    end
    private_constant :Instrumented
  end
end
