# frozen_string_literal: true

require "suites"

# Many fibers read tables that change all the time.
class SchemaChangesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Shared::SchemaChanges

  private

  def readers = 200
end
