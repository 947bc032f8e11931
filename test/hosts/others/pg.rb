# frozen_string_literal: true

# pg's own specs of its connections, results and type maps, with Trunkline::PG under pg's name: rake "hosts:pg[/path/of/ruby-pg]"
#
# The folder is that of a checkout of pg. RSpec is needed, outside of this project's bundle (apt-get install ruby-rspec). All of the specs run;
# pg/excluded.yml has those that fail, and why. SEED=1 is their order.

require_relative "pg/suite"
require_relative "suites/outcome"

SuiteOutcome.tell(PGSuite.new(ENV.fetch("PG"), seed: Integer(ENV.fetch("SEED", "1"))), PGSuite.excluded.keys)
