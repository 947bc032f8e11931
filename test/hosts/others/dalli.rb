# frozen_string_literal: true

# Dalli's own integration tests, with this client under its name: rake hosts:dalli, or "hosts:dalli[/path/of/dalli]"
#
# The folder is that of an unpacked source of Dalli 5; Debian forky's source package of it is fetched without one. dalli/excluded.yml has
# what is left out, and why. SEED=1 is the order of the tests.

require_relative "dalli/suite"
require_relative "suites/outcome"

SuiteOutcome.tell(DalliSuite.new(ENV.fetch("DALLI"), seed: Integer(ENV.fetch("SEED", "1"))), DalliSuite.excluded.keys)
