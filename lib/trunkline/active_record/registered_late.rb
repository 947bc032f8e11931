# frozen_string_literal: true

# ActiveRecord 7.2 looks for an adapter of a name that is not registered by the name of its file, loads that, and raises that there is no such adapter.
late = !Trunkline.const_defined?(:ActiveRecord, false) || !Trunkline::ActiveRecord.const_defined?(:Registration, false)
require_relative "registration"

if late && caller_locations.any? { |place| place.base_label == "resolve" && place.path.end_with?("/active_record/connection_adapters.rb") }
  raise ActiveRecord::AdapterNotFound, 'adapter: trunkline was not registered, as trunkline was loaded before ActiveRecord: require "active_record" first, then "trunkline"'
end
