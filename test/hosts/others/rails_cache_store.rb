# frozen_string_literal: true

# Rails' own tests of :mem_cache_store, on :trunkline_store: rake hosts:rails_cache_store, or "hosts:rails_cache_store[/path/of/rails]"
#
# The folder is that of an unpacked source of the Rails that is in the bundle; Debian trixie's source package of it is fetched without
# one. rails_cache_store/excluded.yml has what is left out, and why. SEED=1 is the order of the tests.

require_relative "rails_cache_store/suite"
require_relative "suites/outcome"

suite = RailsCacheStoreSuite.new(ENV.fetch("RAILS"), seed: Integer(ENV.fetch("SEED", "1")))
SuiteOutcome.tell(suite, RailsCacheStoreSuite.excluded.keys)
