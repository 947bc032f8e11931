# frozen_string_literal: true

# Counts the methods of this library that a block calls in its own thread: those in Ruby, and those of the extension. Ruby's own methods are left out,
# as they differ between versions of Ruby.
module CallCounts
  LIBRARY = File.expand_path("../../lib/trunkline", __dir__)
  RUNS = 30
  private_constant :LIBRARY, :RUNS

  # @return [Array(Integer, Integer)] in Ruby, in C
  def calls(&block)
    ruby = native = 0
    trace = TracePoint.new(:call, :c_call) do |point|
      if point.event == :call
        ruby += 1 if point.path.start_with?(LIBRARY)
      elsif point.defined_class.inspect.match?(/\A(#<Class:)?Trunkline::/)
        native += 1
      end
    end
    trace.enable(target_thread: Thread.current, &block)
    [ruby, native]
  end

  # Fails if the block calls more in each of several runs: a thread switch or an answer in two parts may add to some of them.
  #
  # @param most [Array(Integer, Integer)] as {calls} returns it
  # @param before [#call, nil] what is done before each run, and not counted
  def assert_calls(most, name, before: nil, &block)
    counted = []
    until counted.size == RUNS
      before&.call
      counted << calls(&block)
      return pass if counted.last.zip(most).all? { |count, limit| count <= limit }
    end
    flunk "#{name}: #{counted.min.inspect} calls (Ruby, C) at least, more than #{most.inspect}"
  end
end
