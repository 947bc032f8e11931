# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require_relative "../../rakelib/sanitized_extension"

# A short form of rake storm:interrupts.
class InterruptedCallersTest < Trunkline::TestCase
  SECONDS = 3
  private_constant :SECONDS

  def test_each_answer_is_its_callers_own
    assert SanitizedExtension.available?, SanitizedExtension.missing
    memcached = Trunkline::Bench::MemcachedServer.start
    report = SanitizedExtension.new.run("rakelib/interrupted_callers.rb", postgres_server.uri, memcached.address, Minitest.seed.to_s, SECONDS.to_s)
    refute_match(/^(wrong|unexpected|hung):/, report)
    assert_operator report[/^right: (\d+)/, 1].to_i, :>, 10, report
  end
end
