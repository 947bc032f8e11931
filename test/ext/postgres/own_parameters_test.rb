# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What a request is given is copied or frozen where it is taken: nothing that happens before it is sent changes what is sent.
    class OwnParametersTest < TestCase
      include CodecTesting

      def test_an_array_that_was_taken_cannot_be_changed
        parameters = [1, +"a"]
        Request.query(statement("SELECT $1, $2"), parameters)
        assert_raises(FrozenError) { parameters[0] = Object.new }
        assert_raises(FrozenError) { parameters.last << "b" }
      end

      def test_a_frozen_array_with_a_string_that_changes
        text = +"a"
        request = Request.query(statement("SELECT $1"), [text].freeze)
        text.replace("\0\xFF")
        submit(request)
        assert_includes sent, execution("t1", ["a"])
        refute_predicate text, :frozen?
      end

      def test_converted_parameters_are_copied_and_looked_at
        text = +"a"
        parameters = [text, 1, nil, "\xFF".b, 2**70]
        request = Request.converted(statement("SELECT"), parameters)
        parameters.clear
        text.replace("\0")
        assert_equal ["a", 1, nil, "\xFF".b, 2**70], request.parameters
        [Object.new, [], "\xFF", "a\0", BasicObject.new].each do |value|
          assert_raises(TypeError) { Request.converted(statement("SELECT"), [value]) }
          assert_raises(TypeError) { Request.query(statement("SELECT"), []).convert_to([], [value]) }
        end
      end

      def test_types_members_and_texts_are_copied
        types, members, preamble, script = [25], [Request.query(statement("SELECT 1"), [])], [+"BEGIN"], +"SELECT 1"
        dependent = Request.dependent(statement("SELECT $1"), [1], [1], types)
        batch = Request.batch(members, true)
        batch.preamble = preamble
        scripted = Request.script(script)
        [types, members, preamble.first, script].each(&:clear)
        [dependent, batch, scripted].each { |request| submit(request) }
        assert_includes sent, "{25}"
        assert_equal [1, ["BEGIN"], "SELECT 1"], [batch.members.size, batch.preamble, scripted.script]
        assert_raises(TypeError) { Request.dependent(statement("SELECT $1"), [1], [1], [Object.new]) }
      end

      # What is not text takes room, too.
      def test_bytes_of_symbols_and_of_large_integers_count
        half = ("x" * (1 << 28)).to_sym
        assert_kind_of Request, Request.query(statement("SELECT $1"), [half])
        assert_nil Request.query(statement("SELECT $1, $2, $3"), [half, half, :y])
        assert_nil Request.query(statement("SELECT $1"), [1 << (8 * (1 << 28))])
      end
    end
  end
end
