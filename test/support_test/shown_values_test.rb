# frozen_string_literal: true

require "test_helper"
require "support/shown_values"

class ShownValuesTest < Minitest::Test
  def test_values_and_the_words_behind_them
    ['1 + 1  # => 2, an Integer: words', '"a"  # => "a": words', "[1, nil]   # => [1, nil]", "{ a: 1 }.to_a # => [[:a, 1]]", 'x = "a, b"  # => "a, b"; words',
     '"a long one" # => "a l..."', '{ "a" => 1 } # => {"a" => 1}, or nil', "[true] # => [true]"].each do |line|
      assert_equal eval(line), eval(ShownValues.checked(line)), line
    end
  end

  def test_others_are_told
    ["1 + 1  # => 3", '"a" # => "b", words', "nil # => false", '"other" # => "a l..."'].each do |line|
      assert_raises(ShownValues::Different, line) { eval(ShownValues.checked(line)) }
    end
  end

  def test_what_is_no_literal_and_what_is_no_line_of_its_own_stays
    ["1 # => #<Result 1 rows>", "end # => 2", "1 # => the first", "1 # => {a, ...}", '["b c"] # => ["b ..."]'].each { |line| assert_equal line, ShownValues.checked(line) }
  end
end
