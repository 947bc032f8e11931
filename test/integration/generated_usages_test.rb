# frozen_string_literal: true

require "suites"
require "support/memcached_servers"
require "support/wrong_usages"

# Every verb, called wrongly in each way that can be generated: it works, or raises an error of a class that a caller expects, which was not
# made by something that the caller did not call; and it comes back.
class GeneratedUsagesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Trunkline::MemcachedServers

  ASKED = ["SELECT $1::int AS id", 1].freeze
  # Arguments with which a verb works; those that are not here have none.
  RIGHT = {
    query: ASKED, first: ASKED, value: ASKED, column: ASKED, async: ASKED, stream: ASKED, explain: ASKED, prepare: ["SELECT 1"], describe: ["SELECT 1"],
    execute_script: ["SELECT 1; SELECT 2"], copy_in: ["COPY pg_temp.numbers FROM STDIN"], copy_out: ["COPY (SELECT 1) TO STDOUT"], copy: ["COPY (SELECT 1) TO STDOUT"],
    insert: [:pg_enum, { enumlabel: 1 }], notify: %w[news text], escape_identifier: ["a"], escape_literal: ["a"], classify: ["SELECT 1"], listen: ["news"],
    wait_for_notification: [0], wait: [0], :[] => [0], as: [Struct.new(:id)], last: [1],
    get: ["k"], gat: ["k", 1], touch: ["k", 1], get_cas: ["k"], gets: ["k"], get_multi: %w[k l], get_multi_cas: ["k"], set: ["k", "v", 1], add: ["k", "v", 1],
    replace: ["k", "v", 1], set_cas: ["k", "v", 1], replace_cas: ["k", "v", 1], cas: ["k"], cas!: ["k"], append: %w[k v], prepend: %w[k v],
    set_multi: [{ "k" => "v" }], delete: ["k"], delete_cas: ["k", 1], delete_multi: ["k"], incr: ["n", 1], decr: ["n", 1], fetch: ["k", 1],
    fetch_with_lock: ["k"], get_with_metadata: ["k"], flush_all: [0], flush: [0]
  }.freeze
  # These end the client or change it for good, or take what JSON and Marshal hand them.
  LEFT_OUT = %i[close use reset on_notice to_json marshal_load marshal_dump pretty_print].freeze
  FOREVER = [%i[wait wait_for_notification].product([nil, 2**70]).to_a].flatten(1).freeze
  # Blocks of verbs that are not tried both with and without: those that need one, and one that waits for ever with it.
  BLOCKS = { listen: [nil], **%i[query batch transaction session with].to_h { |name| [name, [->(*) {}]] } }.freeze
  private_constant :ASKED, :RIGHT, :LEFT_OUT, :FOREVER, :BLOCKS

  def test_a_client
    with_client(max_wait: 5) { |db| try(Trunkline::Postgres::Client, shared: true) { |call| call.call(db) } }
  end

  def test_a_session_and_a_transaction
    with_client(max_wait: 5) do |db|
      try(Trunkline::Postgres::Session) { |call| db.session(&call) }
      try(Trunkline::Postgres::Transaction) { |call| db.transaction(&call) }
    end
  end

  def test_what_a_client_gives
    with_client(max_wait: 5) do |db|
      try(Trunkline::Postgres::Result) { |call| call.call(db.query("SELECT 1 AS id")) }
      try(Trunkline::Postgres::Future) { |call| call.call(db.async("SELECT 1 AS id")) }
      try(Trunkline::Postgres::PreparedStatement) { |call| call.call(db.prepare("SELECT $1::int AS id")) }
      try(Trunkline::Postgres::Scope) { |call| call.call(db.with(settings: { "work_mem" => "1MB" })) }
      try(Trunkline::Postgres::Batch) { |call| db.batch(&call) }
    end
  end

  def test_memcached
    with_memcached do |server|
      Trunkline.memcached(server.address, timeout: 5) { |cache| try(Trunkline::Memcached::Client, shared: true) { |call| call.call(cache) } }
    end
  end

  # Each option of what makes a client, and the server's name.
  def test_what_makes_a_client
    given = Trunkline.method(:postgres).parameters.filter_map { |kind, name| name if kind == :key } + Trunkline::Limits::DEFAULTS.keys + Trunkline::Config.option_names
    options = Trunkline::Memcached::Client.instance_method(:begin_with).parameters.filter_map { |kind, name| name if kind == :key }
    kept = %i[Keys Values].flat_map { |name| Trunkline::Memcached.const_get(name).instance_method(:initialize).parameters.map(&:last) }
    options += kept - [:separator] + %i[namespace_separator middlewares logger slow]
    complaints = made(:postgres, given, [postgres_server.uri]) + made(:memcached, options, ["127.0.0.1:1"])
    assert_empty complaints, "#{complaints.size} in all"
  end

  private

  # What can be wrong later, where it is used, is left out: nothing is asked of the clients.
  def made(maker, options, right)
    wrong = WrongUsages::OF_OPTIONS + WrongUsages::VALUES
    calls = options.product(wrong).map { |name, value| [right, { name => value }] } + wrong.map { |value| [[value], {}] }
    calls.filter_map do |arguments, keywords|
      WrongUsages.complaint(WrongUsages.written(maker, arguments, keywords)) { Trunkline.public_send(maker, *arguments, **keywords) { 1 } }
    end
  end

  # @param shared [Boolean] whether the verbs are called too that it has from modules
  # @yieldparam call [#call] takes the object
  def try(owner, shared: false, &on)
    complaints = methods_of(owner, shared).flat_map do |name, method|
      usages = WrongUsages.enum_for(:each_of, method, RIGHT.fetch(name, [])).reject { |arguments,| FOREVER.include?([name, arguments.first]) }
      usages.flat_map { |arguments, keywords| blocks(method).filter_map { |block| complaint(owner, name, arguments, keywords, block, &on) } }
    end
    assert_empty complaints, "#{complaints.size} in all"
  end

  def methods_of(owner, shared)
    names = (shared ? owner.public_instance_methods - Object.public_instance_methods - Enumerable.public_instance_methods : owner.public_instance_methods(false)) - LEFT_OUT
    names.to_h { |name| [name, owner.instance_method(name)] }.select { |_, method| told?(method) }
  end

  # Not marked as the library's own.
  def told?(method)
    file, line = method.source_location
    file.nil? || !File.readlines(file, encoding: "UTF-8")[line - 1].include?(":nodoc:")
  end

  def blocks(method) = BLOCKS.fetch(method.name) { method.parameters.any? { |kind,| kind == :block } ? [nil, ->(*) {}] : [->(*) {}] }

  # What was done before the wrong call may fail after it, as a transaction does whose statement was refused.
  def complaint(owner, name, arguments, keywords, block)
    told = nil
    yield ->(object) do
      told = WrongUsages.complaint("#{owner}##{WrongUsages.written(name, arguments, keywords)}") { object.public_send(name, *arguments, **keywords, &block) }
    end
    told
  rescue Trunkline::Error, ArgumentError, TypeError, EncodingError
    told
  end
end
