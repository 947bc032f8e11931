# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class CommentsTest < TestCase
      REMOVED = {
        "" => "", "SELECT 1" => "SELECT 1", "SELECT/* a /* b */ c */1" => "SELECT 1", "SELECT 1 -- a\n, 2" => "SELECT 1  \n, 2",
        "SELECT '/* ''a' /**/" => "SELECT '/* ''a'  ", "SELECT \"--a\"" => "SELECT \"--a\"", "SELECT $a$ -- $b$ $a$ --" => "SELECT $a$ -- $b$ $a$  ",
        "SELECT $1/*a*/$2" => "SELECT $1 $2", "SELECT 1 /* a" => "SELECT 1  ", "SELECT $$ /* a" => "SELECT $$ /* a", "SELECT '/*é*/'/*é*/" => "SELECT '/*é*/' "
      }.freeze
      private_constant :REMOVED

      def test_a_space_stands_in_place_of_each
        assert_equal REMOVED, REMOVED.to_h { |sql, _| [sql, comments.remove(sql)] }
      end

      def test_literals_may_be_replaced_too
        assert_equal "SELECT ?, ? ", comments.remove("SELECT 'a', \"b\"--c") { "?" }
      end

      # The longer of two takes ten times as long, not a hundred.
      def test_a_text_is_read_once
        ["/*", "*/", "$a$", "'", "\"", "''", "--", "/*'"].each do |piece|
          short, long = [20_000, 200_000].map { |count| processor_time { comments.remove("SELECT #{piece * count}") } }
          assert_operator long, :<, (short * 40) + 0.5, piece
        end
      end

      private

      def comments = Postgres.const_get(:Comments)

      def processor_time
        start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
        yield
        Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start
      end
    end
  end
end
