# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"
require "support/mutations"

module Trunkline
  module Postgres
    # Conversations that went wrong in every way: the codec says that the bytes make no sense, or takes them in. Nothing else.
    class CodecFuzzTest < TestCase
      include CodecTesting

      CASES = 6000
      STRESSED_CASES = 60
      MINOR_COLLECTIONS = 1 # and no others

      # Columns of every type that C decodes, with a value as text and, where there is one, in binary.
      VALUES = {
        16 => ["t", "\1"], 17 => ["\\x00ff", "\0\xFF"], 20 => ["-7", "\xFF" * 8], 21 => ["7", "\0\7"], 23 => ["7", "\0\0\0\7"],
        25 => ["ü", "ü"], 26 => ["1", "\0\0\0\1"], 700 => ["1.5", [1.5].pack("g")], 701 => ["1.5", [1.5].pack("G")],
        1700 => ["-12.50", [2, 0, 0x4000, 2, 12, 5000].pack("n*")], 1082 => ["2024-02-29", [8825].pack("N")],
        1083 => ["12:34:56.789", [45_296_789_000].pack("Q>")], 1266 => ["12:34:56+02", [45_296_000_000, -7200].pack("Q>l>")],
        1114 => ["2024-02-29 01:02:03", [762_483_723_000_000].pack("Q>")], 1184 => ["2024-02-29 01:02:03+00", [762_483_723_000_000].pack("Q>")],
        1186 => ["1 year 2 mons -3 days 04:05:06", [14_706_000_000, -3, 14].pack("Q>l>l>")],
        2950 => ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "\xA0" * 16], 114 => ["{}", "{}"], 3802 => ["[]", "\1[]"], 869 => ["10.0.0.0/8", nil],
        1007 => ["{1,NULL,3}", [1, 1, 23, 3, 1, 4, 1, -1, 4, 3].pack("NNNNNNNl>NN")], 1009 => ["{{a,\"b c\"},{d,NULL}}", nil], 99_999 => ["anything", nil]
      }.transform_values { |texts| texts.map { |text| text&.b } }.freeze
      private_constant :CASES, :STRESSED_CASES, :MINOR_COLLECTIONS, :VALUES

      def setup
        super
        @random = Random.new(Minitest.seed)
        @stress = false
      end

      def test_conversations_that_went_wrong
        outcomes = Array.new(CASES) do |number|
          GC.compact if GC.respond_to?(:compact) && (number % 1000).zero?
          outcome
        end
        assert_equal %i[nonsense taken], outcomes.uniq.sort # and neither is rare
        assert_operator outcomes.tally.values.min, :>, CASES / 50
      end

      # The collector runs whenever it can while the codec works.
      def test_under_stress
        @stress = MINOR_COLLECTIONS
        STRESSED_CASES.times { outcome }
      end

      def answer(bytes)
        GC.stress = @stress
        super
      ensure
        GC.stress = false
      end

      private

      # @return [:taken, :nonsense]
      def outcome
        begin_session(parameters: {}, limit: 1 << 16)
        @statements = {}
        messages, requests = conversation
        bytes = Mutations.new(@random).apply(messages)
        hear(bytes)
        :taken
      rescue ProtocolError
        codec.fail(woken) { |sent| sent }
        assert requests.all?(&:done?)
        :nonsense
      ensure
        requests.each { |request| look_at(request) }
      end

      def hear(bytes)
        at = 0
        while at < bytes.bytesize
          size = @random.rand(4).zero? ? @random.rand(1..20) : bytes.bytesize
          answer(bytes.byteslice(at, size))
          at += size
        end
      end

      # Requests of every kind, and what answers them.
      def conversation
        columns = VALUES.keys.sample(1 + @random.rand(5), random: @random)
        script = submit_script
        first = ask("SELECT a", 1, "x")
        second, third, broken = ask("SELECT a", 2, nil), ask("SELECT a", 3, 1.5), ask("SELECT broken")
        described = submit(Request.describe(statement("SELECT b")))
        parked = ask("SELECT a", 4, :x).park
        [[*script_answer, *answer_to_first(columns), *rows_and_end(columns, 0), *rows_and_end(columns, 0), failure("42601"), ready,
          parse_complete, parameter_description(23), no_data, ready, *rows_and_end(columns, 0)],
         [script, first, second, third, broken, described, parked]]
      end

      def submit_script = submit(Request.script("SELECT 1; SELECT 2"))

      def script_answer
        [parameter_status("a", "b"), row_description({ "n" => 23 }), data_row("1"), complete, notice("hm"), ready]
      end

      def answer_to_first(columns)
        names = columns.to_h { |type| ["c#{type}", type] }
        [parse_complete, parameter_description(23, 25), row_description(names), *rows_and_end(columns, 0)]
      end

      def rows_and_end(columns, format)
        rows = Array.new(1 + @random.rand(3)) { data_row(*columns.map { |type| VALUES[type][@random.rand(9).zero? ? 1 : format] }) }
        [bind_complete, *rows, notification("a", "b"), complete("SELECT #{rows.size}"), ready]
      end

      # All that Ruby asks of a request.
      def look_at(request)
        return unless request.done?

        assert_kind_of Array, request.rows
        [request.affected_rows, request.results, request.status, request.value, request.description&.columns, request.plain?].each(&:inspect)
        noticed(request.notices)
        ServerError.from_fields(ErrorFields.parse(request.error)) if request.error
        Result.new(request.rows, request.description, request.affected_rows, request.notices).to_a if request.answered? && request.description
      end
    end
  end
end
