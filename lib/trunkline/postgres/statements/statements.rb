# frozen_string_literal: true

require_relative "../../trunk/limits"
require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # The SQL texts that a client knows, each a Statement. Bounded in number and in bytes: the one that was not used for
    # longest, roughly, makes room; whatever trunk has prepared it closes it when its slot is taken again.
    class Statements # :nodoc:
      MOST_BYTES = 8 * 1024 * 1024
      # A text longer than this is known for one use only: one report must not push a thousand small statements out.
      LONGEST_KEPT = MOST_BYTES / 64
      # Bytes that a server takes of one statement, or of one's parameters; a little less than it says.
      LONGEST = (1 << 30) - (1 << 20)
      # The statements of callers that decode in the same way, and to which names in SQL mean the same.
      View = Struct.new(:key, :all, :shareable)
      # What is not kept is not looked for there.
      NO_SLOT = 0
      # Texts that are remembered to have left something behind, the latest ones.
      MOST_LEAKY = 1000
      private_constant :MOST_BYTES, :LONGEST_KEPT, :View, :NO_SLOT, :MOST_LEAKY

      # @param most [Integer] texts that are kept
      # @param keepers [#to_a] what changes the session beside what is known, as Statement.new takes it
      # @param epochs [PlanEpoch] the client's
      # @yieldparam statement [Statement] asked for by a caller that shares, and not shareable: to raise, or let it pass
      def initialize(most: Limits::DEFAULTS[:max_statements], keepers: [], epochs: PlanEpoch.new, &gate)
        @most = most
        @keepers = keepers
        @epochs = epochs
        @gate = gate
        @lock = Lock.new
        @views = {}
        @leaky = {}
        @kept = {}.compare_by_identity # each statement's view, those first that came first
        @usual = made(nil, nil)
        @bytes = 0
        @slots = 0
        @free_slots = []
      end

      # The statement of each SQL text. Asked for one it does not have, it raises what {Statements.text} raises, or has it.
      #
      # @param decoding [Hash, nil] what {Decoding.of} returns
      # @param context [ParseContext, nil] what SQL means there, where not as usual
      # @return [Hash{String => Statement}]
      def table(decoding = nil, context = nil) = view(decoding, context).all

      # The same for callers that share: what may not go everywhere has to pass the gate each time it is asked for.
      #
      # @return [Hash{String => Statement}]
      def shared_table(decoding = nil, context = nil) = view(decoding, context).shareable

      # @return [Integer] statements that are kept
      def size = @kept.size

      # @return [Hash{String => Hash{Symbol => Numeric}}] of the texts that have been answered, without passwords; see {Client#stats}
      def stats
        @kept.keys.group_by { |statement| ShortenedSQL.discreet(statement.sql) }.transform_values { |statements| summed_up(statements.filter_map { |statement| statement.service.figures }) }.compact
      end

      # The statement of an SQL text that will hardly come again, as its values stand in it: for one use, by a request that no
      # connection keeps it for.
      #
      # @param decoding [Hash, nil] as {#table}
      # @return [Statement] which takes no room here
      def passing(sql, decoding = nil)
        text = self.class.text(sql)
        marked(Statement.new(text, NO_SLOT, @keepers.to_a, @epochs, decoding))
      end

      # A statement has left something behind on a connection that others share: from now on its text pins, also when it is forgotten
      # meanwhile, and known again.
      #
      # @param statement [Statement]
      def leaked(statement)
        text = statement.sql
        @lock.synchronize do
          @leaky.delete(@leaky.first.first) if @leaky.size == MOST_LEAKY
          @leaky = { **@leaky, text => true }
          @kept.each { |kept, view| view.shareable.delete(text) if kept.sql == text && kept.leaky! }
        end
        statement.leaky!
      end

      # Other things change the session from now on: what does not share any more has to pass the gate, and what does need not.
      def classify_again
        keepers = @keepers.to_a
        @lock.synchronize do
          @kept.each do |statement, view|
            statement.classify_again(keepers) ? view.shareable[statement.sql] = statement : view.shareable.delete(statement.sql)
          end
        end
      end

      # @param sql [String]
      # @return [String] frozen UTF-8 without zero bytes
      # @raise [ArgumentError, TypeError, EncodingError] the text cannot be sent
      def self.text(sql)
        raise TypeError, "SQL must be a String, not #{nil == sql ? "nil" : Argument.class_of(sql)}" unless String === sql

        sql = String.new(sql) unless sql.instance_of?(String) # what a class of the caller's own says of it may not be so
        text = sql.encoding == Encoding::BINARY ? sql.dup.force_encoding(Encoding::UTF_8) : sql.encode(Encoding::UTF_8)
        raise EncodingError, "the SQL is not valid UTF-8" unless text.valid_encoding?
        raise ArgumentError, "the SQL contains a null byte" if text.include?("\0")
        raise ArgumentError, "the SQL has #{text.bytesize} bytes, and the server takes #{LONGEST} at most" if text.bytesize > LONGEST

        -text
      end

      # @param sql [String] several statements
      # @return [String] as {text}
      # @raise [ArgumentError] as {text}; one of them is a COPY FROM STDIN or TO STDOUT
      def self.script(sql)
        script = text(sql)
        copy = Postgres.copy_among(script) or return script
        raise ArgumentError, "a script cannot run #{ShortenedSQL.call(copy)}: nothing of it was sent; use copy_in or copy_out for that statement"
      end

      private

      # Of one text there are several statements where it is decoded in several ways, or means several things.
      def summed_up(services)
        return if services.empty?

        count = services.sum(&:first)
        mean, wait = [1, 3].map { |at| services.sum { |service| service[0] * service[at] } / count }
        { count: count, mean: mean, p99: services.map { |service| service[2] }.max, wait: wait, long: services.sum(&:last) / count.to_f }
      end

      def view(decoding, context)
        return @usual if decoding.nil? && context.nil?

        @lock.synchronize { @views[key(decoding, context)] } || made(decoding, context)
      end

      # Hashes are equal whatever their defaults.
      def key(decoding, context) = [decoding, decoding&.default, context].freeze

      # It is known to others as soon as there is something in it.
      def made(decoding, context)
        made = View.new(key(decoding, context))
        made.all = Hash.new { |_, sql| add(made, sql) }
        made.shareable = Hash.new { |_, sql| admit(made.all[sql]) }
        made
      end

      def add(view, sql)
        text = self.class.text(sql)
        @keepers.to_a # which may ask the server, once
        @lock.synchronize { view.all.fetch(text, nil) || keep(view, text) }
      end

      def admit(statement)
        @gate&.call(statement) unless statement.shareable?
        statement
      end

      # Room is made before a slot is taken: no connection keeps more than may be kept, and one that is long.
      def keep(view, text)
        long = text.bytesize > LONGEST_KEPT
        make_room(text.bytesize) unless long
        statement = made_statement(text, *view.key.values_at(0, 2))
        if long
          @free_slots.push(statement.slot)
          return statement
        end
        @bytes += text.bytesize
        @views[view.key] ||= view
        view.shareable[text] = statement if statement.shareable?
        @kept[statement] = view
        view.all[text] = statement
      end

      def made_statement(text, decoding, context)
        marked(Statement.new(text, take_slot, @keepers.to_a, @epochs, decoding, context&.number, context&.plans))
      end

      def marked(statement) = @leaky.key?(statement.sql) ? statement.leaky! : statement

      def take_slot = @free_slots.pop || (@slots += 1) - 1

      def make_room(bytes)
        evict until @kept.empty? || (@kept.size < @most && @bytes + bytes <= MOST_BYTES)
      end

      # The oldest one goes, unless it was used since it was last looked at: then it is young again.
      def evict
        statement, view = @kept.shift
        return @kept[statement] = view unless statement.idle!

        forget(statement.sql, view)
        @bytes -= statement.sql.bytesize
        @free_slots.push(statement.slot)
      end

      def forget(text, view)
        view.shareable.delete(text)
        view.all.delete(text)
        @views.delete(view.key) if view.all.empty? && @views[view.key].equal?(view)
      end
    end
    private_constant :Statement, :Statements, :Prepared
  end
end
