# frozen_string_literal: true

require "pg"
require_relative "../noticed_load"

module Trunkline
  module Bench
    module Peers
      # A notice receiver of the pg gem.
      class PgNotices
        include NoticedLoad

        def initialize(uri:)
          @connection = PG.connect(uri)
        end

        private

        def flood(count)
          @connection.set_notice_receiver { |result| yield result.error_field(PG::PG_DIAG_MESSAGE_PRIMARY) }
          @connection.exec(format(QUERY, count))
        end
      end
    end
  end
end
