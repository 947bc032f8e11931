# frozen_string_literal: true

require "test_helper"
require "support/mixin_variables"

# State has one owner: a class with a constructor. A module whose methods use the instance variables of what includes it shares that state,
# which then can be changed from several files; it fails here unless it is listed, with its variables and the reason. A list that says more
# than there is fails too.
class MixinsTest < Trunkline::TestCase
  # Groups of verbs that clients, sessions, transactions and scopes have in common. Each of these sets the variables in its constructor, and
  # the verbs read them.
  VERBS = {
    "postgres/virtual_session/adapter_interface" => %w[all decoding epochs known responses result_class sessions],
    "postgres/request/request_execution" => %w[responses result_class statements],
    "postgres/request/retrying" => %w[responses],
    "postgres/verbs/batching" => %w[deadline idempotent responses statements],
    "postgres/copy/copying" => %w[deadline],
    "postgres/verbs/describing" => %w[deadline responses statements],
    "postgres/statements/detection" => %w[detection known pool responses sessions],
    "postgres/group_commit/group_commit" => %w[group_commit],
    "postgres/verbs/inserting" => %w[deadline responses result_class statements],
    "postgres/verbs/instrumented" => %w[responses],
    "postgres/verbs/probing" => %w[deadline],
    "postgres/verbs/querying" => %w[deadline idempotent responses result_class statements],
    "postgres/verbs/streaming" => %w[deadline local responses result_class],
    "memcached/administration" => %w[cluster],
    "memcached/counting" => %w[cluster keys],
    "memcached/fetching" => %w[cache_nils cluster keys values],
    "memcached/instrumented" => %w[middlewares name],
    "memcached/reading" => %w[cluster keys values],
    "memcached/writing" => %w[cluster keys life time_to_live values]
  }.freeze

  # ActiveRecord, Sequel and programs for the pg gem are extended by modules, or have their own names for one object's parts.
  HOSTS = %w[active_record sequel pg].freeze

  # Values that are read from options, and fixed then; variables of the module itself, and of fibers and threads.
  FIXED = {
    "config/encryption" => %w[max_protocol_version min_protocol_version sslmode sslnegotiation sslrootcert],
    "socket/tls/libssl" => %w[looked obstacle],
    "socket/tls/trust" => %w[kept],
    "trunk/main_ractor" => %w[unmovable],
    "trunk/resuming_fibers" => %w[trunkline_loop_fibers_that_hold trunkline_plain_fibers trunkline_plain_fibers_that_hold]
  }.freeze

  LIBRARY = File.expand_path("../lib/trunkline", __dir__)
  private_constant :VERBS, :HOSTS, :FIXED, :LIBRARY

  def test_mixins_share_no_variables_but_those_that_are_listed
    found = Dir.glob("**/*.rb", base: LIBRARY).to_h do |file|
      [file.delete_suffix(".rb"), MixinVariables.of(File.join(LIBRARY, file)).values.flatten.uniq.sort.map { |variable| variable.delete_prefix("@") }]
    end
    assert_equal({ **VERBS, **FIXED }.sort.to_h, found.reject { |file, variables| variables.empty? || HOSTS.include?(file[%r{[^/]+}]) }.sort.to_h)
  end
end
