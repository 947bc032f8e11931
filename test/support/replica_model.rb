# frozen_string_literal: true

module Trunkline
  # One user's row, as random calls of one client change and read it, and what each read may see. The calls are written by no one: kind, options and
  # position come from the seed.
  class ReplicaModel
    READ = "SELECT number, pg_is_in_recovery() FROM modelled WHERE id = $1"
    # Calls by their weights.
    CALLS = { write: 3, read: 8, read_another: 2 }.flat_map { |call, weight| [call] * weight }.freeze
    WAYS = %i[query async batch atomic stream transaction settings].freeze
    # Seconds that a replica may be behind, and what is allowed beyond: what was written is received by then.
    LAGS = [nil, nil, nil, 0, 0.05, 1, 3600].freeze
    RECEIVED = 3.0
    KEPT = 6 # positions
    private_constant :READ, :CALLS, :WAYS, :LAGS, :RECEIVED, :KEPT

    # token:: [String] the position
    # number:: [Integer] acknowledged before it
    Marked = Struct.new(:token, :number)
    private_constant :Marked

    # @return [Hash{Symbol => Integer}] how often each call, and each outcome of a read, was met
    attr_reader :met

    # @return [Array<String>] what is not allowed and was seen
    attr_reader :wrong

    # @return [Array(Integer, Marked)] its row, and the latest position of it
    attr_reader :row, :marked

    # @param db [Postgres::Client]
    # @param row [Integer]
    # @param seed [Integer]
    # @param others [Array<ReplicaModel>] whose rows it reads too
    # @param promoted [#call] takes a moment; true: a standby was promoted shortly before
    def initialize(db, row, seed, others, promoted)
      @db, @row, @others, @promoted = db, row, others, promoted
      @random = Random.new(seed)
      @acknowledged = @attempted = 0
      @times = [[now, 0]] # when each number was acknowledged
      @positions = []
      @marked = nil
      @met = Hash.new(0)
      @wrong = []
    end

    # The next call.
    def call
      kind = CALLS.sample(random: @random)
      @met[kind] += 1
      case kind
      when :write then write
      when :read then read(self, @positions.sample(random: @random))
      else @others.sample(random: @random).then { |other| read(other, other.marked) }
      end
    end

    # @return [Array(Integer, Array)] the highest number that a read may see, and the numbers that were acknowledged, with the moments
    def allowed = [@attempted, @times]

    private

    def write
      @attempted += 1
      number = @db.value("UPDATE modelled SET number = GREATEST(number, $2) WHERE id = $1 RETURNING number", @row, @attempted)
      return wrong!("wrote #{number} for #{@attempted}") unless number == @attempted

      @acknowledged = number
      @times = [*@times, [now, number]].last(1000)
      @marked = Marked.new(@db.position, number)
      @positions = [@marked, *@positions].first(KEPT)
    rescue Error => error
      raise unless error.is_a?(Indeterminate) || error.retriable?

      @met[:write_failed] += 1
    end

    def read(owner, marked)
      lag = LAGS.sample(random: @random)
      fallback = @random.rand < 0.6
      options = { after: marked&.token, max_lag: lag, fallback: fallback, hedge: @random.rand < 0.5 }
      way = WAYS.sample(random: @random)
      began = now
      number, standby = carry_out(@db.replica(**options), way, owner.row)
      check(owner, marked, options, way, began, number, standby)
    rescue NoReplica => error
      @met[:no_replica] += 1
      newer = error.message.include?("the position is of timeline")
      wrong!("no replica although the primary takes it: #{options} #{way}: #{error.message}") if fallback && !newer
    rescue Error => error
      @met[:"failed_#{error.class.name.split("::").last}"] += 1
      sent_in_parts = %i[stream transaction].include?(way)
      wrong!("#{error.class}: #{error.message}: #{options} #{way}") unless sent_in_parts && (error.retriable? || error.is_a?(Indeterminate))
    end

    def check(owner, marked, options, way, began, number, standby)
      @met[standby ? :by_standby : :by_primary] += 1
      @met[standby ? :after_by_standby : :after_by_primary] += 1 if marked
      most, times = owner.allowed
      facts = "#{options} #{way} read #{number} of row #{owner.row}, standby: #{standby}"
      wrong!("stale after a position of #{marked.number}: #{facts}") if marked && number < marked.number
      wrong!("never written, at most #{most}: #{facts}") if number > most
      wrong!("of the primary: #{facts}") if !options[:fallback] && !standby && !@promoted.call(began)
      recent(options[:max_lag], times, began)&.then { |least| wrong!("older than max_lag, at least #{least}: #{facts}") if number < least }
    end

    # The least number that a read may see that is not older than so many seconds.
    def recent(lag, times, began) = lag && times.reverse_each.find { |at, _| at < began - lag - RECEIVED }&.last

    def carry_out(reads, way, id)
      case way
      when :query then reads.query(READ, id).rows.first
      when :async then reads.async(READ, id).value.rows.first
      when :batch then reads.batch { |batch| batch.query(READ, id) }.first.rows.first
      when :atomic then reads.batch(atomic: true) { |batch| batch.query(READ, id) }.first.rows.first
      when :stream then reads.stream(READ, id).to_a.first.values
      when :transaction then reads.transaction { |tx| tx.query(READ, id).rows.first }
      else reads.query(READ, id, settings: { "app.user" => id.to_s }).rows.first
      end
    end

    def wrong!(text) = @wrong << "#{format("%.3f", now)} #{text}"

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
