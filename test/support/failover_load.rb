# frozen_string_literal: true

module Trunkline
  # Writers of unique tokens, by themselves and in transactions, while their primary goes away: what became of each token is noted, and compared
  # with what the new primary has.
  class FailoverLoad
    # Writes that were acknowledged, that may have had an effect, and that failed otherwise (the errors).
    attr_reader :acknowledged, :indeterminate, :errors

    # @param db [Postgres::Client]
    # @param writers [Integer] threads
    def initialize(db, writers)
      @db = db
      @acknowledged = Queue.new
      @indeterminate = Queue.new
      @errors = Queue.new
      @going_on = true
      @threads = Array.new(writers) { |number| Thread.new { write_on(number) } }
    end

    # Has each writer finish what it is at.
    def finish
      @going_on = false
      @threads.each(&:join)
    end

    # @return [Integer] how many writes have been acknowledged so far
    def count = @acknowledged.size

    # @param server [Bench::PostgresServer] the new primary
    # @return [Hash{Symbol => Integer}] acknowledged and indeterminate writes, errors, and of the acknowledged those that are lost and of all those
    #   that are there more than once
    def compared_with(server)
      present = server.psql("SELECT token FROM tokens").split("\n")
      known = taken(@acknowledged)
      { acknowledged: known.size, indeterminate: @indeterminate.size, errors: @errors.size, lost: (known - present).size, doubled: present.size - present.uniq.size }
    end

    private

    def write_on(number)
      turn = 0
      write("#{number} #{turn += 1}", turn.even?) while @going_on
    end

    def write(token, alone)
      sql = "INSERT INTO tokens VALUES ($1)"
      alone ? @db.query(sql, token) : @db.transaction { |tx| tx.query(sql, token) }
      @acknowledged << token
    rescue Indeterminate
      @indeterminate << token
    rescue Error => error
      error.sent? ? @indeterminate << token : @errors << error
    end

    def taken(queue) = Array.new(queue.size) { queue.pop }
  end
end
