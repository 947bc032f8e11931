# frozen_string_literal: true

# Calls with one mistake: an argument of another type, too few or too many of them, an unknown keyword, an option of another type, empty and huge
# text. They are made from right arguments.
module WrongUsages
  HUGE = ("x" * 20_000).freeze
  # An object without even Object's methods.
  ODD = BasicObject.new
  VALUES = [nil, true, -1, 2**70, Float::NAN, "", HUGE, "\xFF", "a\0b", :x, [nil], [ODD], { 1 => 2 }, { x: ODD }, Object.new, ODD, String, proc {}].freeze
  OF_OPTIONS = [true, -1, Float::NAN, "x", [nil], [ODD], { x: ODD }, Object.new, ODD].freeze
  # Messages of Ruby's own methods about arguments that were passed to them unchecked: the caller did not call these.
  UNSEEN = /no implicit conversion|undefined (local|method)|comparison of|can't convert|can't be coerced|uninitialized|can't modify frozen|too big to convert/.freeze
  RUBYS_CHECK = /\A(wrong number of arguments|missing keyword|unknown keyword: :\w+\z)/.freeze
  CLEAR = [ArgumentError, TypeError, EncodingError, IndexError, Trunkline::Error].freeze
  private_constant :HUGE, :UNSEEN, :RUBYS_CHECK, :CLEAR

  module_function

  # @param method [UnboundMethod]
  # @param right [Array] its arguments
  # @yieldparam arguments [Array]
  # @yieldparam keywords [Hash]
  def each_of(method, right)
    right.each_index { |at| VALUES.each { |value| yield right.dup.tap { |given| given[at] = value }, {} } }
    VALUES.each { |value| yield [value], {} } if right.empty? && method.arity != 0
    (0...right.size).each { |count| yield right.first(count), {} }
    yield [*right, 1, 2, 3, 4, 5, 6], {}
    yield right, { nonsense: 1 }
    method.parameters.each { |kind, name| OF_OPTIONS.each { |value| yield right, { name => value } } if %i[key keyreq].include?(kind) }
  end

  # @yield the call
  # @return [String, nil] what is wrong with the error that it raises; nil: nothing, or there is none
  def complaint(called)
    yield
    nil
  rescue *CLEAR => error
    return if error.is_a?(Trunkline::Error)

    "#{called}: #{error.class}, which says #{error.message[0, 100].inspect}" if UNSEEN.match?(error.message) || (RUBYS_CHECK.match?(error.message) && deep?(error))
  rescue StandardError, NotImplementedError, SystemStackError => error
    "#{called}: #{error.class}: #{error.message[0, 100]}"
  end

  # Whether it was raised within the called method, and not by the call.
  def deep?(error) = error.backtrace_locations.index { |location| location.path == __FILE__ || location.path.end_with?("_test.rb") }.to_i > 1

  # @return [String] the call as it is written
  def written(name, arguments, keywords)
    given = arguments.map { |value| short(value) } + keywords.map { |key, value| "#{key}: #{short(value)}" }
    "#{name}(#{given.join(", ")})"
  end

  def short(value)
    return "a BasicObject" unless Object === value

    value.is_a?(String) && value.size > 30 ? "a String of #{value.size}" : value.inspect
  rescue NoMethodError
    "#{value.class} of a BasicObject"
  end

  private_class_method :deep?, :short
end
