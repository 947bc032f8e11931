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

      # What says something else each time that it is asked.
      class Fickle < String
        def to_s = "seen #{@times = @times.to_i + 1} times"
        alias to_str to_s
      end
      private_constant :Fickle

      def test_what_is_checked_is_what_is_sent
        local = LocalSettings.of({ "TimeZone" => Fickle.new("Asia/Tokyo") }, nil)
        plain = LocalSettings.of({ "TimeZone" => "Asia/Tokyo" }, nil)
        assert_equal [plain.sql, plain.context.number], [local.sql, local.context.number]
        assert_raises(ArgumentError) { LocalSettings.of({ "search_path" => Fickle.new("pg_temp") }, nil) }
        assert_match(/must be a String, number, true or false, not BasicObject/, assert_raises(ArgumentError) { LocalSettings.of({ "a.b" => BasicObject.new }, nil) }.message)
      end
    end
  end
end
