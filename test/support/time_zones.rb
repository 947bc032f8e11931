# frozen_string_literal: true

# Tests that depend on this process's time zone.
module TimeZones
  private

  # Runs the block in the zone.
  #
  # @param name [String]
  def in_zone(name)
    before = ENV.fetch("TZ", nil)
    ENV["TZ"] = name
    yield
  ensure
    ENV["TZ"] = before
  end
end
