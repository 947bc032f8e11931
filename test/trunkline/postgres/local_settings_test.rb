# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class LocalSettingsTest < TestCase
      # Together they would be a message that the server takes for the end of the connection; they are not even put together.
      def test_more_bytes_than_a_server_takes
        text = "x" * 10_000_000
        error = assert_raises(ArgumentError) { LocalSettings.of((1..110).to_h { |number| ["a.b#{number}", text] }, nil) }
        assert_equal "the settings have 1100000000 bytes, and the server takes 1072693248 at most", error.message
      end
    end
  end
end
