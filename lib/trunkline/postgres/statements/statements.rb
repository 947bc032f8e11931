# frozen_string_literal: true

require_relative "../../trunk/limits"
require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # The cache of SQL texts of a client, each with its Statement. It is bounded in number and in bytes: the one that was not used for longest,
    # approximately, is evicted. A trunk that has prepared it closes it when its slot is used again.
    class Statements # :nodoc:
      # A bound on memory: 8 kB for each of max_statements' default of 1,000.
      MOST_BYTES = 8 * 1024 * 1024
      # A longer text is used once and not cached: one report must not evict a thousand small statements.
      LONGEST_KEPT = MOST_BYTES / 64
      # Bytes that a server accepts for a statement, or for the parameters of one; slightly less than its own limit.
      LONGEST = (1 << 30) - (1 << 20)
      # The statements of callers with the same decoding and parse context.
      View = Struct.new(:key, :all, :shareable)
      # The slot of statements that are not cached.
      NO_SLOT = 0
      # How many texts that have left session state are remembered, the latest ones: as many as max_statements by default.
      MOST_LEAKY = 1000
      private_constant :MOST_BYTES, :LONGEST_KEPT, :View, :NO_SLOT, :MOST_LEAKY

      # @param most [Integer] texts in the cache
      # @param keepers [#to_a] what changes the session besides the known functions, as Statement.new takes it
      # @param epochs [PlanEpoch] the client's
      # @yieldparam statement [Statement] that is not shareable, requested for a shared connection: the block raises, or permits it
      def initialize(most: Limits::DEFAULTS[:max_statements], keepers: [], epochs: PlanEpoch.new, &gate)
        @most = most
        @keepers = keepers
        @epochs = epochs
        @gate = gate
        @lock = Lock.new
        @views = {}
        @leaky = {}
        @kept = {}.compare_by_identity # each statement's view, in order of insertion
        @usual = made(nil, nil)
        @bytes = 0
        @slots = 0
        @free_slots = []
      end

      # The Statement of each SQL text. A missing key is added, or raises what {Statements.text} raises.
      #
      # @param decoding [Hash, nil] what {Decoding.of} returns
      # @param context [ParseContext, nil] how SQL is parsed there; nil: by default
      # @return [Hash{String => Statement}]
      def table(decoding = nil, context = nil) = view(decoding, context).all

      # The same for shared connections: a statement that is not shareable must pass the gate each time.
      #
      # @return [Hash{String => Statement}]
      def shared_table(decoding = nil, context = nil) = view(decoding, context).shareable

      # @return [Integer] statements that are kept
      def size = @kept.size

      # @return [Hash{String => Hash{Symbol => Numeric}}] by the texts that were executed, without passwords; see {Client#stats}
      def stats
        @kept.keys.group_by { |statement| ShortenedSQL.discreet(statement.sql) }.transform_values { |statements| summed_up(statements.filter_map { |statement| statement.service.figures }) }.compact
      end

      # The statement of an SQL text that is unlikely to be repeated, as it contains its values: for one use, without preparing it by name.
      #
      # @param decoding [Hash, nil] as {#table}
      # @return [Statement] which is not cached
      def uncached(sql, decoding = nil)
        text = self.class.text(sql)
        marked(Statement.new(text, NO_SLOT, @keepers.to_a, @epochs, decoding))
      end

      # A statement has left session state on a shared connection: from now on its text pins, even if it is evicted and cached again.
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

      # The keepers have changed: statements that are no longer shareable must pass the gate, and others need not.
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

        sql = String.new(sql) unless sql.instance_of?(String) # a subclass may have overridden its methods
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

      # One text has several statements if it is used with several decodings or parse contexts.
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

      # Hashes are equal whatever their defaults, so these are in the key.
      def key(decoding, context) = [decoding, decoding&.default, context].freeze

      # Other threads see it once it contains a statement.
      def made(decoding, context)
        made = View.new(key(decoding, context))
        made.all = Hash.new { |_, sql| add(made, sql) }
        made.shareable = Hash.new { |_, sql| admit(made.all[sql]) }
        made
      end

      def add(view, sql)
        text = self.class.text(sql)
        @keepers.to_a # may query the server, once
        @lock.synchronize { view.all.fetch(text, nil) || keep(view, text) }
      end

      def admit(statement)
        @gate&.call(statement) unless statement.shareable?
        statement
      end

      # Evicts before a slot is taken: no connection keeps more than the limits allow.
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

      # Evicts the oldest one that was not used since the last pass; those that were used count as new again.
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
