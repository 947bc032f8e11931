# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What a server says when a statement, whatever it looked like, has left something behind on a shared session.
    class LeakTest < TestCase
      include CodecTesting

      GIVEN = { "TimeZone" => "UTC", "DateStyle" => "ISO, MDY", "in_hot_standby" => "off", "application_name" => "app" }.freeze
      private_constant :GIVEN

      def setup
        super
        begin_session(parameters: GIVEN.dup)
      end

      def answered(tag, *more) = parse_complete + parameter_description + no_data + bind_complete + more.join + complete(tag)

      def test_tags_that_betray
        ["SET", "RESET", "LISTEN", "PREPARE", "DEALLOCATE", "DEALLOCATE ALL", "DECLARE CURSOR", "DISCARD ALL", "DISCARD TEMP", "LOAD", "DO",
         "PREPARE TRANSACTION"].each do |tag|
          begin_session
          request = ask("SELECT 1")
          refute answer(answered(tag) + ready), tag
          assert_equal ["I", true, false], [request.status, request.done?, request.answered?]
        end
      end

      def test_tags_that_do_not
        ["SELECT 1", "INSERT 0 1", "CREATE TABLE", "NOTIFY", "SETUP", "DOMAIN", "COMMIT PREPARED", "SELECT SET", "", "SE"].each do |tag|
          assert answer(answered(tag) + ready.tap { ask("SELECT #{tag.hash}") }), tag
        end
      end

      def test_the_tag_of_a_callers_own_session
        codec.exclusive = true
        request = submit(Request.query(statement("SET a.b = 1"), []).pin)
        assert answer(first_command("SET").delete_suffix(ready) + parameter_status("TimeZone", "Asia/Tokyo") + ready)
        assert_equal [true, true], [request.answered?, codec.altered?]
        submit(Request.query(statement("SELECT 1"), []).pin)
        assert answer(complete("DISCARD PLANS") + ready + answered("SELECT 1", parameter_status("TimeZone", "UTC")) + ready)
        refute_predicate codec, :altered?
      end

      def test_what_a_callers_own_session_changed_is_no_other_callers_doing
        codec.exclusive = true
        submit(Request.query(statement("SELECT 1"), []).pin)
        answer(answered("SELECT 1", parameter_status("TimeZone", "Asia/Tokyo")) + ready)
        codec.exclusive = false
        request = ask("SELECT 1")
        assert answer(bind_complete + complete + ready)
        assert_equal [true, false], [request.answered?, codec.altered?]
      end

      def test_a_setting_that_stays
        request = ask("SELECT 1")
        refute answer(answered("SELECT 1", parameter_status("TimeZone", "Asia/Tokyo")) + ready)
        refute_predicate request, :answered?
      end

      def test_a_setting_that_is_new
        ask("SELECT 1")
        refute answer(answered("SELECT 1", parameter_status("search_path", "elsewhere")) + ready)
      end

      def test_a_setting_that_came_back
        request = ask("SELECT 1")
        assert answer(answered("SELECT 1", parameter_status("TimeZone", "Asia/Tokyo")) + parameter_status("TimeZone", "UTC") + ready)
        assert_predicate request, :answered?
      end

      def test_what_is_the_servers_own_doing
        assert answer(parameter_status("TimeZone", "Asia/Tokyo") + parameter_status("in_hot_standby", "on"))
        request = ask("SELECT 1")
        assert answer(answered("SELECT 1", parameter_status("TimeZone", "Asia/Tokyo"), parameter_status("in_hot_standby", "off")) + ready)
        assert_predicate request, :answered?
        ask("SELECT 2")
        refute answer(answered("SELECT 1", parameter_status("TimeZone", "UTC")) + ready)
      end

      def test_what_follows_is_not_read
        first, second = ask("SELECT 1"), ask("SELECT 2")
        refute answer(answered("SET") + ready + answered("SELECT 1") + ready)
        assert_equal [true, false], [first.done?, second.done?]
      end
    end
  end
end
