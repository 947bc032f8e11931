# frozen_string_literal: true

require "trunkline"
require_relative "../noticed_load"

module Trunkline
  module Bench
    module Peers
      # The block that a client tells its notices to.
      class TrunklineNotices
        include NoticedLoad

        def initialize(uri:, **options)
          @db = Trunkline.postgres(uri, **options)
        end

        private

        def flood(count)
          @db.on_notice { |fields| yield fields[:message] }
          @db.query(format(QUERY, count))
        end
      end
    end
  end
end
