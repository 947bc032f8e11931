# frozen_string_literal: true

require "async"
require "test_helper"

module Trunkline
  module Postgres
    # What a caller with many notices owes to the others.
    class NoticesTest < TestCase
      NOTICES = Array.new(200) { |number| "SNOTICE\0VNOTICE\0C00000\0Mnumber #{number}\0\0" }.freeze
      private_constant :NOTICES

      def answers = Postgres.const_get(:Answers).new(nil, "server", limits: Limits.new) { flunk "nothing is looked up" }

      def test_others_have_a_turn_before_the_last_one
        told = []
        Sync do |task|
          answers = self.answers
          answers.on_notice = ->(fields) { told << fields[:message] }
          task.async { answers.tell(NOTICES) }
          task.async { told << :another }
        end
        assert_equal 200, (told - [:another]).size
        assert_operator told.index(:another), :<, 100
      end

      def test_one_who_stops_to_listen_meanwhile
        answers = self.answers
        told = []
        answers.on_notice = lambda do |fields|
          told << fields[:message]
          answers.on_notice = nil if told.size == 70
        end
        answers.tell(NOTICES)
        assert_equal 70, told.size
      end
    end
  end
end
