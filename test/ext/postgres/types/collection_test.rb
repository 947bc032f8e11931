# frozen_string_literal: true

require "test_helper"

module Trunkline
  # Decoding while the garbage collector runs at every allocation, and after it has moved what it can.
  class CollectionTest < TestCase
    TEXTS = {
      16 => "t", 23 => "-7", 20 => "9223372036854775807", 700 => "1.1", 701 => "1e300", 1700 => "9" * 400, 25 => "text with ☃",
      17 => "\\x00ff", 1082 => "1500-01-01", 1114 => "2024-02-29 12:34:56.789", 1184 => "2024-02-29 12:34:56.789+01",
      1083 => "12:34:56.5", 1266 => "12:34:56.5+05:30", 1186 => "1 year -3 days +04:05:06.789", 1005 => "{1,NULL,3}",
      1009 => "{\"a\\\"b\",NULL,\"#{"x" * 3_000}\\\\\"}", 1231 => "{{1.5,2.5},{NULL,NaN}}", 1182 => "{2024-01-01,infinity}"
    }.freeze

    # Hex.
    BINARIES = {
      16 => "01", 23 => "fffffff9", 20 => "7fffffffffffffff", 700 => "3f8ccccd", 701 => "7e37e43c8800759c",
      1700 => "00c8000000000000#{"0001" * 200}", 2950 => "a0eebc999c0b4ef8bb6d6bb9bd380a11", 869 => "020800040a000001",
      1082 => "fffd3645", 1184 => "0002b5e3af7a8000", 1083 => "0000000a8bd7b680", 1186 => "000000000000000000000001000000ff",
      1007 => "00000001000000000000001700000002000000010000000400000001ffffffff",
      1231 => "0000000100000000000006a400000001000000010000000a00010000000000000001"
    }.freeze

    def test_under_stress
      expected = decode_all
      assert_equal expected, stressed { decode_all }
    end

    def test_after_compaction
      expected = decode_all
      GC.verify_compaction_references(toward: :empty, double_heap: true)
      assert_equal expected, decode_all
    end

    def test_malformed_values_under_stress
      stressed do
        [[1231, "{1,x}"], [1009, "{\"a\\\"b\",{"], [1700, "x" * 500]].each do |oid, text|
          assert_raises(ProtocolError) { Postgres.decode(oid, false, 0, text) }
        end
      end
    end

    def test_finishing_under_stress
      expected = [{ "a" => [1.5, nil] }, [{ "b" => "ü" }, nil], IPAddr.new("10.0.0.0/8")]
      values = stressed do
        [Postgres::Types.finisher(3802).call('{"a":[1.5,null]}'),
         Postgres::Types.finisher(3807).call(['{"b":"ü"}', nil]),
         Postgres::Types.finisher(869).call("10.0.0.1/8")]
      end
      assert_equal expected, values
    end

    private

    # inspect, because NaN equals nothing.
    def decode_all
      texts = TEXTS.map { |oid, bytes| Postgres.decode(oid, false, 0, bytes) }
      (texts + BINARIES.map { |oid, hex| Postgres.decode(oid, false, 1, [hex].pack("H*")) }).map(&:inspect)
    end

    def stressed
      GC.stress = true
      yield
    ensure
      GC.stress = false
    end
  end
end
