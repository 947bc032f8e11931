# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Methods of PG::Connection that do not exist here: calling one raises an error with an alternative; `respond_to?` is false.
      module Absent
        ADVICE = {
          /pipeline/ => "the queries of all callers are pipelined anyway",
          /trace/ => "Trunkline's middlewares see each query",
          /verbosity|visibility/ => "errors have all that the server says: error.result.verbose_error_message(PG::PQERRORS_VERBOSE, PG::PQSHOW_CONTEXT_ALWAYS) writes it, and error.result.error_field tells each field",
          /socket|\Aconnect_poll\z|\Areset_(?:poll|start)\z/ => "connecting does not block other fibers, and needs no steps"
        }.freeze
        NAMES = %i[
          cancel_poll connect_poll connection_needs_password connection_used_password describe_portal async_describe_portal sync_describe_portal
          close_portal enter_pipeline_mode exit_pipeline_mode pipeline_status pipeline_sync async_pipeline_sync
          sync_pipeline_sync send_pipeline_sync send_flush_request reset_poll reset_start send_describe_portal set_error_verbosity
          set_error_context_visibility set_chunked_rows_mode socket ssl_attribute ssl_attribute_names ssl_attributes ssl_in_use? trace untrace
        ].freeze
        private_constant :ADVICE, :NAMES

        # @return [Symbol, nil] such a name
        def self.name?(name) = NAMES.include?(name)

        # @raise [NoMethodError] with an alternative
        def method_missing(name, ...)
          return super unless Absent.name?(name) || pg_method?(name)

          advice = ADVICE.find { |pattern, _| pattern.match?(name) }&.last || "what it does, it does in libpq, which is not used"
          raise NoMethodError.new("PG::Connection##{name} is not there: #{advice}. See guides/coming-from.md.", name, receiver: self)
        end

        def respond_to_missing?(_name, _private = false) = false

        private

        # Whether it is a method of the pg gem, if that is loaded.
        def pg_method?(name) = namespace::Connection.instance_methods(false).include?(name)
      end
    end
  end
end
