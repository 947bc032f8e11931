# frozen_string_literal: true

# A statement for which the pg gem and Trunkline got different answers.
class RegressionDifference
  SHOWN = 300 # characters of the statement and of each answer
  private_constant :SHOWN

  class << self
    # @param theirs [Differential::Answer] with texts
    # @param ours [Differential::Answer] whose values are texts
    # @return [RegressionDifference, nil]
    def of_texts(file, sql, theirs, ours)
      new(file, sql, theirs.texts, theirs, ours) unless theirs.failure == ours.failure && theirs.texts == ours.values
    end

    # @param theirs [Differential::Answer] with values, of which those that the pg gem cannot decode are unknown
    # @param ours [Differential::Answer]
    # @return [RegressionDifference, nil]
    def of_values(file, sql, theirs, ours)
      new(file, sql, theirs.values, theirs, ours) unless theirs.agrees?(ours)
    end
  end

  # @return [String] the file's name, without its suffix
  attr_reader :file

  # @return [String] the statement, and how it was executed
  attr_reader :sql

  # @return [Array] rows, or what failed
  attr_reader :theirs, :ours

  def initialize(file, sql, rows, theirs, ours)
    @file = file
    @sql = sql
    @theirs = theirs.failure || rows
    @ours = ours.failure || ours.values
  end

  # @return [String] for a report
  def to_s = "#{file}: #{sql[0, SHOWN]}\n    the pg gem has #{theirs.inspect[0, SHOWN]}\n    Trunkline has #{ours.inspect[0, SHOWN]}"
end
