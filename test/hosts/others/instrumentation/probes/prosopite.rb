# frozen_string_literal: true

require "prosopite"

# What Prosopite writes into its log: queries that are the same but for their values, with their calls.
module Probe
  module_function

  def watch
    log = StringIO.new
    Prosopite.custom_logger = Logger.new(log, formatter: ->(_, _, _, message) { message })
    Prosopite.scan
    yield
    Prosopite.finish
    log.string.lines.map(&:strip).grep(/SELECT|INSERT|N\+1/)
  end
end
