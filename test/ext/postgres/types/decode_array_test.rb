# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeArrayTest < TestCase
    include DecodedValues

    INT4S = 1007
    TEXTS = 1009
    NUMERICS = 1231
    DATES = 1182

    def test_text
      assert_equal [], text(INT4S, "{}")
      assert_equal [1, nil, 3], text(INT4S, "{1,NULL,3}")
      assert_equal [[1, 2], [3, 4]], text(INT4S, "{{1,2},{3,4}}")
      assert_equal [[[[[[7]]]]]], text(INT4S, "{{{{{{7}}}}}}")
      assert_equal [Date.new(2024, 1, 1), Float::INFINITY], text(DATES, "{2024-01-01,infinity}")
    end

    def test_quotes
      assert_equal ["a\"b", "c\\d", "", "NULL", nil, "null", "x,y", "{z}", "ü ☃"],
                   text(TEXTS, '{"a\\"b","c\\\\d","","NULL",NULL,null,"x,y","{z}",ü ☃}')
      assert_equal ["#{"x" * 5_000}\""], text(TEXTS, "{\"#{"x" * 5_000}\\\"\"}")
      assert_same_value ["\x00\xFF".b], text(1001, '{"\\\\x00ff"}')
    end

    def test_bounds_are_left_out
      assert_equal [7, 8], text(INT4S, "[0:1]={7,8}")
      assert_equal [[3], [4]], text(INT4S, "[-2:-1][3:3]={{3},{4}}")
    end

    def test_binary
      assert_equal [], binary(INT4S, wire([]))
      assert_equal [1, nil, -3], binary(INT4S, wire([3], int(1), nil, int(-3)))
      assert_equal [[1, 2, 3], [4, 5, 6]], binary(INT4S, wire([2, 3], *(1..6).map { |number| int(number) }))
      assert_equal [[[[[[7]]]]]], binary(INT4S, wire([1] * 6, int(7)))
      assert_equal ["a", "", "NULL"], binary(TEXTS, wire([3], "a", "", "NULL"))
    end

    def test_an_array_of_a_type_that_the_server_defines
      assert_equal %w[ok sad], Postgres.decode(25, true, 0, "{ok,sad}")
      assert_equal [1], Postgres.decode(23, true, 1, wire([1], int(1)))
    end

    def test_malformed_text
      assert_malformed "text[]", TEXTS, 0, "", "a", "{", "}", "{a", "a}", "{a}}", "{a}b", "{,}", "{a,}", "{,a}", "{a,,b}", "{a{b}}",
                       "{{a},b}", "{a,{b}}", "{{a},{}}", "{{}}", "{{a}{b}}", "{a\"b\"}", "{\"a\"b}", "{\"a", "{\"a\\", "{\"a\\\"}",
                       "{a\\b}", "[0:1]", "[0:1={a}", "[0]={a}", "={a}x", "{{{{{{{a}}}}}}}", "{" * 100_000, "{a},{b}", "{}{}", "{a} "
    end

    def test_malformed_elements_are_named
      assert_malformed "integer", INT4S, 0, "{x}", "{1.5}", "{\"\"}"
      assert_malformed "numeric", NUMERICS, 0, "{1,x}"
      assert_malformed "integer", INT4S, 1, wire([1], "abc")
    end

    def test_malformed_binary
      assert_exact_length "integer[]", INT4S, wire([2, 1], int(1), nil)
      assert_malformed "integer[]", INT4S, 1, wire([1] * 7, int(1)), wire([0]), wire([-1]), wire([2], int(1)), wire([1], int(1), int(2)),
                       wire([1]) + [-2].pack("l>"), wire([1]) + [5].pack("l>"), wire([1]) + [2_147_483_647].pack("l>")
    end

    # A server that promises more than it sends must not make the client allocate for it.
    def test_sizes_that_lie
      assert_malformed "integer[]", INT4S, 1, wire([2_147_483_647]), wire([65_536, 65_536], int(1)), wire([2_147_483_647] * 6, int(1)),
                       wire([2_147_483_647, 0]), wire([0, 2_147_483_647]), [4_294_967_295, 0, 23].pack("N3"),
                       [2_147_483_647, 0, 23].pack("N3")
    end

    private

    def int(number) = [number].pack("l>")

    # Dimensions, whether there are NULLs, the element's type, sizes with lower bounds, elements.
    def wire(sizes, *elements)
      header = [sizes.size, elements.include?(nil) ? 1 : 0, 23, *sizes.flat_map { |size| [size & 0xFFFFFFFF, 1] }].pack("N*")
      header + elements.map { |bytes| bytes ? [bytes.bytesize].pack("N") + bytes.b : [-1].pack("l>") }.join
    end
  end
end
