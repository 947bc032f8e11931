# frozen_string_literal: true

require "test_helper"
require "support/children"

module Trunkline
  module Postgres
    module Parameters
      # Active Support changes how Ruby's own classes write themselves; what goes to the server stays as it is. In a process of its
      # own, so that the other tests know Ruby alone.
      class ActiveSupportTest < TestCase
        include Children

        PROGRAM = <<~RUBY
          require "active_support/all"
          require "trunkline"
          Time.zone = "Asia/Tokyo"
          texts = Trunkline::Postgres.const_get(:Parameters)
          puts texts::DecimalText.of(BigDecimal("1e1000000")), texts::DecimalText.of(BigDecimal("1.50")),
               texts::TimeText.of(DateTime.new(2024, 1, 2, 3, 4, 5.25r, "+05:30"), 0)
        RUBY

        def test_numbers_and_moments
          output, status = run_program(PROGRAM)
          assert_predicate status, :success?, output
          assert_equal ["0.1e1000001", "1.5", "2024-01-02T03:04:05.250000+05:30"], output.lines(chomp: true)
        end
      end
    end
  end
end
