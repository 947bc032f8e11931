# frozen_string_literal: true

require_relative "schedulers/hosts"

# The kinds of hostility that the client is tested under.
HOSTILITIES = {
  Inline: { inline: true },
  InlineYielding: { inline: true, yielding: true, without: %i[yield timeout_after closed?] },
  Spurious: { spurious: 0.2 },
  Punctual: { punctual: true, reorder: true },
  Forgetful: { forgetful: true, without: %i[yield] },
  Everything: { inline: true, spurious: 0.1, reorder: true, without: %i[yield closed?] }
}.freeze
