# frozen_string_literal: true

require "yaml"

# The known differences, by name, from a file that gives each one's reason, its files and statements, and how the answers may differ.
class RegressionKnown
  PATH = File.expand_path("regression_known.yml", __dir__)
  KINDS = %w[anything floats numbers].freeze
  FLOAT_DIGITS = 1e-5 # what a float4 with extra_float_digits = 0 may be away from its value, relatively
  private_constant :KINDS, :FLOAT_DIGITS

  # @param entries [Hash{String => Hash}] by name: reason; files, those it is met in; statement, a pattern; in, in what alone the answers
  #   differ: "floats" (their last digits), "numbers" (anywhere), or "anything"
  # @raise [ArgumentError] where one is in something else
  def initialize(entries = YAML.safe_load_file(PATH))
    wrong = entries.values.map { |entry| entry["in"] } - KINDS
    raise ArgumentError, "in is #{wrong.first.inspect}: say anything, floats or numbers" if wrong.any?

    @entries = entries.transform_values { |entry| { **entry, "statement" => Regexp.new(entry["statement"], Regexp::IGNORECASE) } }
  end

  # @param difference [RegressionDifference]
  # @return [String, nil] the name of the known difference that it is
  def name_of(difference)
    @entries.find do |_, entry|
      entry["files"].split.include?(difference.file) && entry["statement"].match?(difference.sql) && alike?(entry["in"], difference.theirs, difference.ours)
    end&.first
  end

  private

  def alike?(kind, theirs, ours)
    case kind
    when "floats" then close?(theirs, ours)
    when "numbers" then numberless(theirs) == numberless(ours)
    else
      true
    end
  end

  def numberless(answer) = answer.inspect.gsub(/[-+]?\d+/, "0")

  def close?(one, other)
    return one.size == other.size && one.zip(other).all? { |a, b| close?(a, b) } if one.is_a?(Array) && other.is_a?(Array)
    return one == other unless one.is_a?(Float) && other.is_a?(Float)

    one == other || (one - other).abs <= FLOAT_DIGITS * [one.abs, other.abs].max
  end
end
