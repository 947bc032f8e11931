# frozen_string_literal: true

require "trunkline"
require_relative "memcached_conversation"
require_relative "postgres_conversation"
require_relative "values"

# Everything that takes in what a server sends, fed with bytes that a server might send and with others. Any error but those that are
# named, a request that is left undone, and time that grows with more than the length end the program; the sanitizers find the rest.
#
#   ruby test/fuzz/codec/program.rb SEED FIRST COUNT   # so many rounds from the first one, which is 0, or one that is to be seen again
module CodecFuzz
  # One round: a conversation with each server, and some values by themselves.
  class Round
    VALUES = 10
    LONG = 32_768 # bytes
    LONG_IN = 8 # rounds, of which one decodes a long value
    # A decoder takes less than a microsecond for a byte under the sanitizers; a quadratic one takes some hundred for a byte of so many.
    MOST_SECONDS_PER_BYTE = 20e-6
    STRESSED_IN = 200 # rounds, in one of which the collector runs at each allocation while the codec takes in what comes
    COMPACTED_IN = 1000
    MOST_OID = 4000
    READERS = [[:utc, nil], %i[utc local], %i[local utc]].freeze
    CALLERS_VALUES = [nil, true, false, 0, -1, 2**40, 2**70, 1.5, Float::NAN, :symbol, "x", "a\tb\\\n", "ü"].freeze
    Bytes, Postgres = %i[Bytes Postgres].map { |name| Trunkline.const_get(name) }
    private_constant :Bytes, :Postgres, :READERS, :CALLERS_VALUES, :VALUES, :LONG, :LONG_IN, :MOST_SECONDS_PER_BYTE, :STRESSED_IN, :COMPACTED_IN, :MOST_OID

    # @param seed [Integer]
    # @param number [Integer]
    def initialize(seed, number)
      @number = number
      @random = Random.new((seed << 32) + number)
      @values = Values.new(@random)
    end

    # @return [Array<Symbol>] outcomes
    def run
      GC.compact if GC.respond_to?(:compact) && (@number % COMPACTED_IN).zero?
      [*outcomes, *(long_value if (@number % LONG_IN).zero?)]
    end

    private

    def outcomes
      [:"postgres_#{PostgresConversation.new(@random, @values, stressed: (@number % STRESSED_IN).zero?).run}", :"memcached_#{MemcachedConversation.new(@random).run}",
       *Array.new(VALUES) { decoded(@values.malformed) }, read_time, copied, parsed]
    end

    def decoded(bytes)
      Postgres.decode(@random.rand(2).zero? ? @values.type : @random.rand(MOST_OID), @random.rand(4).zero?, @random.rand(2), bytes)
      :value
    rescue Trunkline::ProtocolError, Trunkline::UnreadableResult
      :malformed
    end

    # As ActiveRecord's adapter has timestamps read.
    def read_time
      Postgres.const_get(:TimeReader).new(*READERS.sample(random: @random), :itself.to_proc).call(@values.any(1114, 0) || @values.malformed)
      :time
    end

    # Values of callers, which are not all of the columns' types.
    def copied
      row = Array.new(@random.rand(4)) { @random.rand(3).zero? ? string : CALLERS_VALUES.sample(random: @random) }
      Postgres.copy_text(Bytes.new, row, false)
      Postgres.copy_binary(Bytes.new, row, row.map { @values.type }, false)
      :copied
    end

    # An error's fields, and a String of notices, which must say so where it is none.
    def parsed
      fields = Postgres.const_get(:ErrorFields)
      fields.parse(@values.malformed)
      fields.each(fields.append(fields.append(nil, @values.malformed), @values.malformed), &:inspect)
      fields.each(@values.malformed, &:inspect)
      :parsed
    rescue ArgumentError
      :parsed
    end

    def string = @values.malformed.force_encoding([Encoding::UTF_8, Encoding::BINARY].sample(random: @random))

    def long_value
      bytes = @values.long(LONG)
      before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      decoded(bytes)
      taken = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
      raise "#{taken} s for a value of #{bytes.bytesize} bytes: #{bytes.byteslice(0, 40).inspect}" if taken > LONG * MOST_SECONDS_PER_BYTE

      :long_value
    end
  end

  # @param seed [Integer]
  # @param number [Integer] of the round
  # @return [Array<Symbol>] outcomes
  def self.round(seed, number)
    Round.new(seed, number).run
  rescue StandardError
    warn "seed #{seed}, round #{number}"
    raise
  end
end

seed, first, count = ARGV.map { |argument| Integer(argument) }
puts $LOADED_FEATURES.grep(%r{trunkline/trunkline\.}).first
puts (first...(first + count)).flat_map { |number| CodecFuzz.round(seed, number) }.tally.sort.map { |outcome, times| "#{outcome}: #{times}" }
