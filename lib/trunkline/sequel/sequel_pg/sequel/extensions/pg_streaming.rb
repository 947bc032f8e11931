# frozen_string_literal: true

require_relative "../../../streaming"

Sequel::Database.register_extension(:pg_streaming, Sequel::Trunkline::Streaming)
