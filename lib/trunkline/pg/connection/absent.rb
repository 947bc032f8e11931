# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Methods of PG::Connection that are not there: calling one says so, and what to call instead; `respond_to?` is false.
      module Absent
        ADVICE = {
          /\A(?:a?sync_)?send_|\Aget_(?:last_)?result\z|consume_input|is_busy|nonblocking|set_single_row|stream_each/ => "exec does not block other fibers; Trunkline's async and stream send without waiting",
          /pipeline/ => "the queries of all callers travel together as it is",
          /\Alo|_lo\z/ => "large objects need a PG::Connection of the pg gem",
          /trace/ => "Trunkline's middlewares see each query",
          /socket|\Aconnect_poll\z|\Areset_(?:poll|start)\z|\Aflush\z/ => "a connection of the server is not one object's here"
        }.freeze
        NAMES = %i[
          async_flush cancel_poll connect_poll connection_needs_password connection_used_password consume_input describe_portal describe_prepared
          async_describe_portal async_describe_prepared sync_describe_portal sync_describe_prepared enter_pipeline_mode
          exit_pipeline_mode flush get_result async_get_result sync_get_result is_busy isnonblocking nonblocking? setnonblocking
          async_setnonblocking async_isnonblocking lo_create lo_creat lo_import lo_export lo_open lo_write lo_read lo_lseek lo_tell lo_truncate
          lo_close lo_unlink locreat loopen lowrite loread lolseek lotell lotruncate loclose lounlink lo_seek loseek pipeline_status pipeline_sync
          async_pipeline_sync sync_pipeline_sync send_pipeline_sync send_flush_request put_copy_end async_put_copy_end sync_put_copy_end reset_poll
          reset_start send_describe_portal send_describe_prepared send_prepare send_query send_query_params send_query_prepared set_default_encoding
          set_error_verbosity set_error_context_visibility set_single_row_mode set_chunked_rows_mode socket socket_io ssl_attribute ssl_attribute_names
          ssl_attributes ssl_in_use? trace untrace
        ].freeze
        private_constant :ADVICE, :NAMES

        # @return [Symbol, nil] a name of this kind
        def self.name?(name) = NAMES.include?(name)

        # @raise [NoMethodError] with what to call instead
        def method_missing(name, ...)
          return super unless Absent.name?(name) || pg_method?(name)

          advice = ADVICE.find { |pattern, _| pattern.match?(name) }&.last || "what it does, it does in libpq, which is not used"
          raise NoMethodError.new("PG::Connection##{name} is not there: #{advice}. See guides/coming-from.md.", name, receiver: self)
        end

        def respond_to_missing?(_name, _private = false) = false

        private

        # Is it one of the pg gem's, where that is loaded?
        def pg_method?(name) = namespace::Connection.instance_methods(false).include?(name)
      end
    end
  end
end
