# frozen_string_literal: true

require_relative "trunkline_fiber_selects"

module Trunkline
  module Bench
    module Peers
      # Fibers whose every query has a deadline, none of which passes.
      class TrunklineDeadlineSelects < TrunklineFiberSelects
        SECONDS = 60
        private_constant :SECONDS

        # @param how ["client", "call", "block"] where the deadline is given
        def initialize(how:, **options)
          super(**options)
          @how = how
          @light = @db.with(deadline: SECONDS)
        end

        private

        def select(first, share)
          share.times { |number| ask(Accounts.id(first + number, @rows)) }
        end

        def ask(id)
          case @how
          when "client" then @light.value(Accounts::SELECT, id)
          when "call" then @db.value(Accounts::SELECT, id, deadline: SECONDS)
          when "block" then Trunkline.deadline(SECONDS) { @db.value(Accounts::SELECT, id) }
          end
        end
      end
    end
  end
end
