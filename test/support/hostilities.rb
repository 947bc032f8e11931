# frozen_string_literal: true

require_relative "schedulers/hosts"

# Hostile schedulers that the client is tested under. Instead of a mask of events, io_wait returns the scheduler itself, as libev_scheduler's does, or
# true, as evt's does.
HOSTILITIES = {
  Inline: { inline: true },
  InlineYielding: { inline: true, yielding: true, io_answer: ->(scheduler) { scheduler }, without: %i[yield timeout_after closed?] },
  Spurious: { spurious: 0.2 },
  Punctual: { punctual: true, reorder: true },
  Forgetful: { forgetful: true, without: %i[yield] },
  Everything: { inline: true, spurious: 0.1, reorder: true, io_answer: ->(_) { true }, without: %i[yield closed?] }
}.freeze
