# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class Startup
      class ProtocolVersionTest < TestCase
        def negotiated(newest, oldest, answer, count = 0, rest = "")
          ProtocolVersion.new(newest, oldest).tap { |version| version.negotiate([answer, count].pack("NN") + rest) }.to_s
        end

        def refusal(error_class, ...) = assert_raises(error_class) { negotiated(...) }.message

        def test_what_is_requested
          assert_equal [196_608, "3.0"], [ProtocolVersion.new("3.0", "3.0").to_i, ProtocolVersion.new("3.0", "3.0").to_s]
          assert_equal [196_610, "3.2"], [ProtocolVersion.new("3.2", "3.0").to_i, ProtocolVersion.new("3.2", "3.0").to_s]
        end

        def test_an_older_one
          assert_equal "3.0", negotiated("3.2", "3.0", 196_608)
          assert_equal "3.2", negotiated("3.2", "3.2", 196_610)
          assert_equal "3.0", negotiated("3.0", "3.0", 196_608)
        end

        def test_the_minor_number_alone
          assert_equal "3.0", negotiated("3.2", "3.0", 0)
          assert_equal "3.2", negotiated("3.2", "3.0", 2)
        end

        def test_one_that_is_too_old
          message = "the server speaks protocol 3.0, and min_protocol_version is 3.2"

          assert_equal message, refusal(ConnectionError, "3.2", "3.2", 196_608)
        end

        def test_answers_without_sense
          assert_equal "the server chose protocol 3.2 where the client requested 3.0", refusal(ProtocolError, "3.0", "3.0", 196_610)
          assert_equal "the server chose protocol 3.1 where the client requested 3.2", refusal(ProtocolError, "3.2", "3.0", 196_609)
          assert_equal "the server chose protocol 4.0 where the client requested 3.2", refusal(ProtocolError, "3.2", "3.0", 4 << 16)
          assert_equal 'the server rejects protocol options that the client did not request: "_pq_.x\x00"',
                       refusal(ProtocolError, "3.2", "3.0", 196_608, 1, "_pq_.x\0")
          ["", "\0", "\0\0\0\0\0\0\0"].each do |body|
            assert_raises(ProtocolError) { ProtocolVersion.new("3.2", "3.0").negotiate(body) }
          end
        end
      end
    end
  end
end
