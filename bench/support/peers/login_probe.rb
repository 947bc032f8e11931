# frozen_string_literal: true

require "pg"
require_relative "../measure"
require_relative "../promotion_probe"

module Trunkline
  module Bench
    module Peers
      # A client of its own that logs in to each of some standbys, again and again, until one of them takes a write: a primary then lets any client in.
      class LoginProbe
        # @param uris [Array<String>] of the standbys
        def initialize(uris:)
          @uris = uris
        end

        # @return [Boolean] it is there
        def ready = true

        # @return [Hash] the `uri` of the primary, `at` when its login and its write were through, on the monotonic clock, and the seconds that these `took`
        def await
          loop do
            @uris.each do |uri|
              start = Measure.now
              return { uri: uri, at: Measure.now, took: Measure.now - start } if written?(uri)
            end
            sleep PromotionProbe::PAUSE
          end
        end

        private

        def written?(uri)
          connection = ::PG.connect(uri, connect_timeout: 2)
          connection.exec(PromotionProbe::WRITE)
          true
        rescue ::PG::Error
          false
        ensure
          connection&.close
        end
      end
    end
  end
end
