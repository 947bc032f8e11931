# frozen_string_literal: true

require "trunkline"
require_relative "copies"

module Trunkline
  module Bench
    module Peers
      # COPY with rows as Arrays of values, both ways.
      class TrunklineCopy
        include Copies

        # @param direction [String] "in" or "out"
        def initialize(uri:, direction:)
          @db = Trunkline.postgres(uri)
          @direction = direction
        end

        private

        def copy_in(rows)
          @db.query("TRUNCATE copied")
          @db.copy_in(CopiedRows::COPY_IN) { |copy| made(rows).each { |row| copy << row } }
        end

        def copy_out(&block) = @db.copy_out(CopiedRows::COPY_OUT, &block)
      end
    end
  end
end
