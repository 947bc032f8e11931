# frozen_string_literal: true

require "suites"
require "support/object_memory"

# The memory that values take as Ruby objects, as guides/running-it.md tells it: many times that of their text.
class QuotedMemoryTest < Trunkline::TestCase
  GUIDE = File.expand_path("../../guides/running-it.md", __dir__)
  ROW = /^\| `([a-z]+)(\[\])?` of `([^`]+)` \| (\d+) \|$/.freeze
  COUNT = 1000
  TOLERANCE = 0.2 # a newer Ruby's objects have other sizes
  private_constant :GUIDE, :ROW, :COUNT, :TOLERANCE

  def test_memory_for_each_byte_of_the_text
    told = File.read(GUIDE, encoding: "UTF-8").scan(ROW)
    assert_operator told.size, :>=, 8
    with_client { |db| told.each { |type, array, text, times| assert_in_epsilon Integer(times), memory(db, type, array, text), TOLERANCE, "#{type}#{array} of #{text}" } }
  end

  private

  # @return [Float] bytes of memory for each byte that the server sends
  def memory(db, type, array, text)
    literal = array ? "{#{([array_element(text)] * COUNT).join(",")}}" : "[#{([text] * COUNT).join(",")}]"
    value, bytes = db.query("SELECT v, octet_length(v::text) FROM CAST($1::text AS #{type}#{array}) AS v", literal).rows.first
    ObjectMemory.of(value) / bytes.to_f
  end

  def array_element(text) = text == '""' ? text : "\"#{text.gsub("\"", "\\\"")}\""
end
