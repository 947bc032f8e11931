# frozen_string_literal: true

require "json"
require "minitest"
require_relative "leaving_out"

# Writes down which test begins and how it has ended, in a line of JSON each: so the parent process knows which one hangs.
# Applications have classes of their own called Journal.
class SuiteJournal < Minitest::AbstractReporter
  def self.minitest_plugin_init(_options) = Minitest.reporter << new(File.open(ENV.fetch("JOURNAL"), "a").tap { |file| file.sync = true })

  def initialize(file)
    super()
    @file = file
  end

  def prerecord(suite, name) = write(begins: LeavingOut.name_of(suite, name))

  def record(result)
    write(ends: LeavingOut.name_of(result.klass, result.name), as: result.result_code, assertions: result.assertions, message: (result.to_s unless result.passed?))
  end

  def report = write(over: true, left_out: LeavingOut.met.uniq)

  private

  def write(entry) = @file.puts(JSON.generate(entry.transform_values { |value| value.is_a?(String) ? value.dup.force_encoding("UTF-8").scrub : value }))
end

Minitest.register_plugin(SuiteJournal)
