# frozen_string_literal: true

require_relative "history/entry"

# What callers did and which answers they got, compared with what the server has in the end:
class History
  Violation = Struct.new(:entry, :text) do
    def to_s = "#{text}\n#{entry}"
  end
  private_constant :Violation

  # @return [Array<#to_s>] each tells what is wrong, and the whole history of the entry concerned
  attr_reader :violations
  # @return [Integer] entries that had their answer
  attr_reader :answers

  def initialize
    @entries = []
    @violations = []
    @answers = 0
    @lists = Hash.new { |lists, id| lists[id] = [] }
    @lock = Thread::Mutex.new
  end

  # Begins an entry, whose tokens no other entry has.
  #
  # @param kind [Symbol] what is done
  # @param member [Integer] that does it
  # @param tokens [Integer] how many
  # @return [Entry]
  def begin(kind, member, tokens)
    @lock.synchronize do
      first = @entries.last ? @entries.last.tokens.last + 1 : 1
      Entry.new(self, kind, member, [*first...first + tokens]).tap { |entry| @entries << entry }
    end
  end

  # Records a state of the list, to which tokens are only ever added.
  def saw(id, tokens, entry)
    @lock.synchronize { @lists[id] << [tokens, entry] }
  end

  # Records a violation.
  def violated(entry, text)
    entry&.note("VIOLATION: #{text}")
    @lock.synchronize { @violations << Violation.new(entry, text) }
  end

  # @return [Hash{Symbol => Integer}] entries by fate
  def fates = @lock.synchronize { @entries.map(&:fate).tally }

  def count_answer = @lock.synchronize { @answers += 1 }

  # Compares the answers with what the server has, when all callers have ended.
  #
  # @param rows [Array<Integer>] the tokens found in the table
  # @param lists [Hash{Integer => Array<Integer>}] the tokens found in the lists
  # @return [self]
  def verify(rows, lists)
    found = (rows + lists.values.flatten).tally
    @entries.each { |entry| entry.verify(found.values_at(*entry.tokens).map(&:to_i)) }
    (found.keys - @entries.flat_map(&:tokens)).each { |token| violated(nil, "no caller has written #{token}") }
    @lists.each { |id, seen| seen.each { |tokens, entry| verify_list(tokens, lists.fetch(id), entry) } }
    self
  end

  private

  def verify_list(seen, final, entry)
    violated(entry, "saw #{seen}, which does not lead to #{final}") unless final.first(seen.size) == seen
  end
end
