# frozen_string_literal: true

require_relative "mutations"

module CodecFuzz
  # Requests of every kind over one codec of memcached's, and answers in any order, changed in some places and cut anywhere.
  class MemcachedConversation
    Codec, Request = %i[Codec Request].map { |name| Trunkline::Memcached.const_get(name) }
    LIMIT = 1 << 16 # bytes of a value
    # By command, what may answer it; %s is the number that it was sent.
    ANSWERS = {
      "mg" => ["VA 1 f1 c5 O%s\r\nx\r\n", "VA 2 O%s W s20\r\nxy\r\n", "VA 0 O%s Z X\r\n\r\n", "HD O%s c7\r\n", "EN O%s\r\n", "EN\r\n", ""],
      "ms" => ["HD O%s c7\r\n", "NS O%s\r\n", "EX O%s\r\n", "NF O%s\r\n", ""], "md" => ["HD O%s\r\n", "NF O%s\r\n", "EX O%s\r\n", ""],
      "ma" => ["VA 1 O%s\r\n7\r\n", "NF O%s\r\n", "NS O%s\r\n"], "mn" => ["MN\r\n"], "stats" => ["STAT a b\r\nSTAT c d e\r\nEND\r\n", "END\r\n"],
      "version" => ["VERSION 1.6\r\n"]
    }.freeze
    STRANGE = [
      "ERROR\r\n", "CLIENT_ERROR x\r\n", "SERVER_ERROR out of memory\r\n", "VA 70000\r\n", "VA 18446744073709551616\r\n", "VA 1 O4294967295\r\nx\r\n",
      "STAT \r\n", "STAT\r\n", "MN\r\n", "HD\r\n", "VA 1\r\nx\r\n"
    ].map(&:b).freeze
    REQUESTS = {
      get: ["k", " v f"], get_many: [%w[a b a], %w[a b a], " v f c q"], store: ["k", "v", 0, " c"], store_many: [%w[a b], ["x", 0, "y", 1], " q"],
      delete: ["k", ""], delete_many: [%w[a b], " q"], count: ["k", " MI v D1"], statistics: ["stats"], line: %w[version VERSION]
    }.freeze
    READERS = %i[answered? stored? found? changed? answer client_flags coded versions error cas done_count won? lost? stale? waited failure].freeze
    private_constant :Codec, :Request, :LIMIT, :ANSWERS, :STRANGE, :REQUESTS, :READERS

    # @param random [Random]
    def initialize(random)
      @random = random
      @codec = Codec.new(LIMIT, random.rand(2).zero?)
      @requests = Array.new(1 + random.rand(3)) { request }
    end

    # @return [:taken, :nonsense]
    def run
      outcome = heard
      @codec.fail([]) { nil }
      raise "a request of a lost connection is not done" unless @requests.all?(&:done?)

      @requests.each { |request| READERS.each { |reader| request.public_send(reader).inspect } }
      outcome
    end

    private

    def request
      kind, arguments = REQUESTS.to_a.sample(random: @random)
      request = Request.public_send(kind, *arguments)
      request.fail(nil) if @random.rand(8).zero?
      @codec.submit(request)
      request
    end

    def heard
      bytes = @random.rand(3).zero? ? Mutations.new(@random).apply(answers) : answers.join
      until bytes.empty?
        @codec.input << bytes.slice!(0, @random.rand(3).zero? ? 1 + @random.rand(9) : bytes.bytesize)
        @codec.receive([])
      end
      :taken
    rescue Trunkline::ProtocolError
      :nonsense
    end

    def answers = commands.flat_map { |command, number| [*(STRANGE.sample(random: @random) if @random.rand(12).zero?), answer_to(command, number)] }

    def answer_to(command, number) = ANSWERS.fetch(command).sample(random: @random).sub("%s", number.to_s).b

    # Commands as they were sent, without the lines that are values, and their numbers.
    def commands = @codec.output.to_s.scan(/^(m[gsdan]|stats|version)\b(?:[^\r]* O(\d+))?/n)
  end
end
