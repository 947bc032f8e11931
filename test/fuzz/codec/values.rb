# frozen_string_literal: true

module CodecFuzz
  # Values of every type that the extension decodes, well-formed and malformed.
  class Values
    # By type, its values as text and in binary form.
    GOOD = {
      16 => [%w[t f], ["\1", "\0"]], 17 => [["\\x00ff", "a\\\\b\\001"], ["\0\xFF", ""]], 18 => [%w[a \\377], %W[a \xFF]], 19 => [%w[name], %w[name]],
      20 => [%w[-9223372036854775808 7], ["\xFF" * 8]], 21 => [%w[-32768 7], ["\0\7"]], 23 => [%w[2147483647 -7], ["\0\0\0\7"]],
      25 => [["ü", "x" * 300, ""], ["ü", ""]], 26 => [%w[4294967295], ["\0\0\0\1"]], 142 => [%w[<a/>], [nil]],
      700 => [%w[1.5 NaN -Infinity 1e-45], [[1.5].pack("g")]], 701 => [%w[1.5e300 Infinity 5e-324], [[1.5].pack("G")]], 705 => [%w[x], %w[x]],
      1042 => [%w[x], %w[x]], 1043 => [%w[x], %w[x]], 2278 => [[""], [""]], 114 => [%w[{} [1,{"a":null}]], ["{}"]], 3802 => [%w[[]], ["\1[]", "\1{}"]],
      1700 => [%w[-12.50 NaN 1234567890.0987654321 Infinity], [[2, 0, 0x4000, 2, 12, 5000].pack("n*"), [0, 0, 0xC000, 0].pack("n*")]],
      1082 => [["2024-02-29", "0044-03-15 BC", "infinity", "12024-01-01"], [[8825].pack("N"), "\x7F\xFF\xFF\xFF"]],
      1083 => [%w[12:34:56.789 24:00:00], [[45_296_789_000].pack("Q>")]], 1266 => [%w[12:34:56+02 00:00:00-15:59:59], [[45_296_000_000, -7200].pack("Q>l>")]],
      1114 => [["2024-02-29 01:02:03", "-infinity", "0044-03-15 01:02:03 BC"], [[762_483_723_000_000].pack("Q>"), "\x7F#{"\xFF" * 7}"]],
      1184 => [["2024-02-29 01:02:03.000001+00", "2024-01-01 12:34:56.789+01:30 BC"], [[762_483_723_000_000].pack("Q>"), "\x80#{"\0" * 7}"]],
      1186 => [["1 year 2 mons -3 days 04:05:06.7", "00:00:00"], [[14_706_000_000, -3, 14].pack("Q>l>l>")]],
      2950 => [%w[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11], ["\xA0" * 16]],
      869 => [%w[10.0.0.0/8 ::1], ["\2\x20\0\4\x7F\0\0\1", "\3\x80\0\x10#{"\0" * 16}"]], 650 => [%w[10.0.0.0/8], ["\2\x08\1\4\x0A\0\0\0"]],
      1007 => [["{1,NULL,3}", "[0:1]={1,2}", "{}"], [[1, 1, 23, 3, 1, 4, 1, -1, 4, 3].pack("NNNNNNNl>NN"), [0, 0, 23].pack("N3")]],
      1009 => [["{{a,\"b c\"},{d,NULL}}", "{\"a\\\"b\\\\\",\"\"}", "{{{{{{x}}}}}}"], [[2, 1, 25, 2, 1, 1, 1, 4, "text", -1].pack("N8a4l>")]],
      1016 => [%w[{1,2}], [nil]], 1231 => [%w[{1.5,NaN}], [nil]], 1115 => [["{\"2024-02-29 01:02:03\"}"], [nil]], 1001 => [["{\"\\\\x00\"}"], [nil]],
      1182 => [%w[{2024-02-29}], [nil]], 1187 => [["{\"1 day\"}"], [nil]], 2951 => [["{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"], [nil]], 3807 => [["{\"{}\"}"], [nil]],
      1041 => [%w[{::1}], [nil]], 199 => [["{\"[]\"}"], [nil]], 1022 => [%w[{1.5}], [nil]], 1000 => [%w[{t,f}], [nil]], 99_999 => [%w[anything], [nil]], 0 => [%w[x], [nil]]
    }.transform_values { |formats| formats.map { |values| values.map { |value| value&.b } } }.freeze
    EVERYTHING = GOOD.values.flatten.compact.freeze
    COUNTS = [0, 1, 2, 6, 65_535, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF].freeze
    MALFORMED_IN = 200 # values
    private_constant :MALFORMED_IN, :GOOD, :EVERYTHING, :COUNTS

    # @param random [Random]
    def initialize(random)
      @random = random
    end

    # @return [Integer] OID of a type
    def type = GOOD.keys.sample(random: @random)

    # @param type [Integer]
    # @param format [Integer] 0: text, 1: binary
    # @return [String, nil] what is a value of the type, nearly always: a row has many, and one that is none ends the conversation
    def any(type, format)
      return malformed if @random.rand(MALFORMED_IN).zero?

      GOOD.fetch(type)[format].sample(random: @random) unless @random.rand(12).zero?
    end

    # @return [String] a value of any type in any form, changed in some places
    def malformed
      value = EVERYTHING.sample(random: @random).dup
      @random.rand(3).times { value = changed(value) }
      value
    end

    # @param size [Integer] bytes
    # @return [String] part of a value again and again, which a decoder that looks back takes quadratic time for
    def long(size)
      value = malformed
      from = @random.rand(value.bytesize + 1)
      unit = value.byteslice(from, 1 + @random.rand(6)).to_s
      opening = value.byteslice(0, from)
      unit.empty? ? value : (opening + (unit * (size / unit.bytesize)))
    end

    private

    def changed(value)
      at = @random.rand(value.bytesize + 1)
      case @random.rand(6)
      when 0 then value.tap { value.setbyte(at, @random.rand(256)) if at < value.bytesize }
      when 1 then value.insert(at, @random.bytes(@random.rand(4)))
      when 2 then value.byteslice(0, at)
      when 3 then value * 2
      when 4 then value.byteslice(0, at) + EVERYTHING.sample(random: @random)
      else value.bytesize < 4 ? value : [COUNTS.sample(random: @random)].pack("N") + value.byteslice(4..)
      end
    end
  end
end
