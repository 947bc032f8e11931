# frozen_string_literal: true

require "support/query_messages"

module CodecFuzz
  # What a server answers to the messages that a codec sends: well-formed messages in the right order, with rows of any types.
  class AnsweringServer
    include Trunkline::QueryMessages

    TAGS = ["SELECT 2", "INSERT 0 5", "SET", "DISCARD ALL", "DEALLOCATE ALL", "ROLLBACK", "ALTER TABLE", "DO", "CREATE TABLE", "UPDATE 999999999999999999999"].freeze
    SQLSTATES = %w[22012 26000 57014 0A000 25P02 42601 57P01 57P05 08P01 40001].freeze
    COLUMNS = [0, 1, 1, 2, 3, 33, 40].freeze # a description keeps up to 32 within itself
    ROWS_OF_SCRIPT = 2
    FAILED_IN = 40 # messages
    private_constant :TAGS, :SQLSTATES, :COLUMNS, :FAILED_IN, :ROWS_OF_SCRIPT

    # @param random [Random]
    # @param values [Values]
    def initialize(random, values)
      @random = random
      @values = values
      @parameters = {} # of each statement, by its name
      @types = {} # of its columns
      @portals = {} # their statements
      @format = 0
      @skipping = false
    end

    # Types of the columns that the next COPY has.
    attr_writer :copied

    # @param sent [String] whole messages of a client
    # @return [Array<String>] messages
    def answer(sent)
      answers = []
      until sent.empty?
        type, length = sent.unpack("aN")
        body = sent.byteslice(5, length - 4).b
        sent = sent.byteslice((1 + length)..)
        @skipping = false if type == "S"
        answers.concat(answers_to(type, body)) unless @skipping
      end
      answers
    end

    private

    def answers_to(type, body)
      return failed(type) if "PBEQ".include?(type) && @random.rand(FAILED_IN).zero?

      case type
      when "P" then parsed(body)
      when "D" then described(body)
      when "B" then bound(body)
      when "E" then executed(body)
      when "C" then [close_complete]
      when "S" then [ready(state)]
      when "Q" then commanded(body)
      when "c" then [complete("COPY 3"), ready]
      when "f" then [failure("57014"), ready]
      else []
      end
    end

    def state = @random.rand(12).zero? ? %w[T E].sample(random: @random) : "I"

    def failed(type, sqlstate = SQLSTATES.sample(random: @random))
      error = failure(sqlstate)
      @skipping = type != "Q"
      type == "Q" ? [error, ready] : [error]
    end

    def parsed(body)
      name, sql, = body.split("\0", 3)
      @parameters[name] = sql.scan(/\$\d/).uniq.map { 25 }
      @types[name] = Array.new(COLUMNS.sample(random: @random)) { @values.type }
      [parse_complete]
    end

    def described(body)
      name = body.start_with?("S") ? body.byteslice(1..-2) : @portals[""]
      return failed("D", "26000") unless @types.key?(name)

      description = @types[name].empty? ? no_data : description_of(@types[name])
      body.start_with?("S") ? [parameter_description(*@parameters[name]), description] : [description]
    end

    def description_of(types) = row_description(types.each_with_index.to_h { |type, at| [@random.rand(9).zero? ? "\xFF#{at}".b : "c#{at}", type] })

    def bound(body)
      portal, name, rest = body.split("\0", 3)
      return failed("B", "26000") unless @types.key?(name)
      return failed("B", "08P01") unless rest.unpack1("@#{2 + (2 * rest.unpack1("n"))}n") == @parameters[name].size

      @portals[portal] = name
      @format = body.byteslice(-2, 2).unpack1("n") # of the results
      [bind_complete]
    end

    def executed(body)
      portal = body.delete_suffix(body.byteslice(-5, 5))
      return failed("E", "34000") unless @portals.key?(portal)

      types = @types[@portals[portal]]
      rows = types.empty? ? [] : Array.new(@random.rand(4)) { row(types, @format) }
      noise = @random.rand(8).zero? ? [unasked] : []
      suspended = body.byteslice(-4, 4) != "\0\0\0\0" && @random.rand(2).zero?
      [*rows, *noise, suspended ? frame("s") : ending(rows.size)]
    end

    # Mostly with as many rows as have come.
    def ending(rows) = [*[complete("SELECT #{rows}")] * 6, complete(TAGS.sample(random: @random)), empty_query].sample(random: @random)

    def row(types, format) = data_row(*types.map { |type| @values.any(type, format) })

    def unasked = [notice("hm"), parameter_status("TimeZone", "UTC"), notification("a", "b"), notice("x" * 500)].sample(random: @random)

    def commanded(sql)
      case sql
      when /\ACOPY.*STDOUT/ then copied_out
      when /\ACOPY/ then [copy_response("G", 0, 2)]
      when /;/ then [*Array.new(2) { statement_of_script }.flatten, ready(state)]
      else [complete("DISCARD PLANS"), ready]
      end
    end

    def statement_of_script
      types = Array.new(1 + @random.rand(3)) { @values.type }
      [description_of(types), *Array.new(ROWS_OF_SCRIPT) { row(types, 0) }, complete("SELECT #{ROWS_OF_SCRIPT}")]
    end

    def copy_response(type, format, columns) = frame(type, [format, columns, *[format] * columns].pack("Cnn*"))

    def copied_out
      format = @random.rand(2)
      types = @copied || [23, 25]
      rows = Array.new(3) { frame("d", format.zero? ? line(types) : tuple(types)) }
      rows = [frame("d", "PGCOPY\n\xFF\r\n\0#{"\0" * 8}".b), *rows, frame("d", "\xFF\xFF")] if format == 1
      [copy_response("H", format, types.size), *rows, frame("c"), complete("COPY 3"), ready]
    end

    def line(types) = "#{types.map { |type| escaped(@values.any(type, 0)) }.join("\t")}\n"
    def escaped(value) = value ? value.gsub(/[\\\t\n]/n) { |character| "\\#{character == "\n" ? "n" : character}" } : "\\N"

    def tuple(types)
      values = types.map { |type| @values.any(type, 1) }
      [types.size].pack("n") + values.map { |value| value ? [value.bytesize, value].pack("Na*") : [-1].pack("l>") }.join
    end
  end
end
