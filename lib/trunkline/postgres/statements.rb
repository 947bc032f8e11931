# frozen_string_literal: true

require_relative "../trunk/lock"

module Trunkline
  module Postgres
    # The SQL texts that a client knows, each a Statement. Bounded in number and in bytes: the one that was not used for
    # longest, roughly, makes room; whatever trunk has prepared it closes it when its slot is taken again.
    class Statements # :nodoc:
      MOST = 1000
      MOST_BYTES = 8 * 1024 * 1024
      # A text longer than this is known for one use only: one report must not push a thousand small statements out.
      LONGEST_KEPT = MOST_BYTES / 64
      # Bytes that a server takes of one statement, or of one's parameters; a little less than it says.
      LONGEST = (1 << 30) - (1 << 20)
      private_constant :MOST, :MOST_BYTES, :LONGEST_KEPT

      # @param most [Integer] texts that are kept
      # @param functions [Array<Array(String, String)>] what {SessionFunctions.parse} returns
      # @param epochs [PlanEpoch] the client's
      # @yieldparam statement [Statement] asked for by one who shares, and not shareable: to raise, or let him have it
      def initialize(most: MOST, functions: [], epochs: PlanEpoch.new, &gate)
        @most = most
        @functions = functions
        @epochs = epochs
        @lock = Lock.new
        @statements = Hash.new { |_, sql| add(sql) }
        @shareable = Hash.new { |_, sql| admit(@statements[sql], gate) }
        @bytes = 0
        @slots = 0
        @free_slots = []
      end

      # The statement of each SQL text. Asked for one it does not have, it raises what {Statements.text} raises, or has it.
      #
      # @return [Hash{String => Statement}]
      def table = @statements

      # The same for one who shares: what may not go everywhere has to pass the gate each time it is asked for.
      #
      # @return [Hash{String => Statement}]
      def shared_table = @shareable

      # @param sql [String]
      # @return [String] frozen UTF-8 without zero bytes
      # @raise [ArgumentError, TypeError, EncodingError] the text cannot be sent
      def self.text(sql)
        raise TypeError, "SQL must be a String, not #{sql.class}" unless sql.is_a?(String)

        text = sql.encoding == Encoding::BINARY ? sql.dup.force_encoding(Encoding::UTF_8) : sql.encode(Encoding::UTF_8)
        raise EncodingError, "the SQL is not valid UTF-8" unless text.valid_encoding?
        raise ArgumentError, "the SQL contains a zero byte" if text.include?("\0")
        raise ArgumentError, "the SQL has #{text.bytesize} bytes, and the server takes #{LONGEST} at most" if text.bytesize > LONGEST

        -text
      end

      private

      def add(sql)
        text = self.class.text(sql)
        @lock.synchronize { @statements.fetch(text, nil) || keep(Statement.new(text, take_slot, @functions, @epochs), text) }
      end

      def admit(statement, gate)
        gate&.call(statement) unless statement.shareable?
        statement
      end

      def keep(statement, text)
        if text.bytesize > LONGEST_KEPT
          @free_slots.push(statement.slot)
          return statement
        end
        make_room(text.bytesize)
        @bytes += text.bytesize
        @shareable[text] = statement if statement.shareable?
        @statements[text] = statement
      end

      def take_slot = @free_slots.pop || (@slots += 1) - 1

      def make_room(bytes)
        evict until @statements.empty? || (@statements.size < @most && @bytes + bytes <= MOST_BYTES)
      end

      # The oldest one goes, unless it was used since it was last looked at: then it is young again.
      def evict
        text, statement = @statements.shift
        return @statements[text] = statement unless statement.idle!

        @shareable.delete(text)
        @bytes -= text.bytesize
        @free_slots.push(statement.slot)
      end
    end
    private_constant :Statement, :Statements, :Prepared
  end
end
