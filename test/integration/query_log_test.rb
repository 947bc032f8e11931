# frozen_string_literal: true

require "suites"
require "logger"
require "stringio"
require "active_support"
require "active_support/log_subscriber"
require "opentelemetry/sdk"
require "support/memcached_servers"

# One hook sees all that a client does; the log, ActiveSupport's events and OpenTelemetry's spans are made of it.
class QueryLogTest < Trunkline::TestCase
  include DatabaseHelpers
  include Trunkline::MemcachedServers

  # What a client can be asked, and what the hook is told of it: kind, beginning of the text, rows.
  CALLS = [
    [->(db) { db.query("SELECT * FROM generate_series(1, $1)", 3) }, [:query, "SELECT * FROM generate_series", 3]],
    [->(db) { db.value("SELECT 40") }, [:query, "SELECT 40", 1]],
    [->(db) { db.async("SELECT 2").value }, [:async, "SELECT 2", nil]],
    [->(db) { db.batch { |batch| batch.query("SELECT 1") && batch.query("SELECT generate_series(1, 3)") } }, [:batch, "SELECT 1; SELECT generate", 4]],
    [->(db) { db.stream("SELECT generate_series(1, 7)") { |row| row } }, [:stream, "SELECT generate_series(1, 7)", 7]],
    [->(db) { db.copy_out("COPY (SELECT generate_series(1, 5)) TO STDOUT") { |row| row } }, [:copy, "COPY (SELECT", 5]],
    [->(db) { db.execute_script("SELECT 1; SELECT 2") }, [:script, "SELECT 1; SELECT 2", nil]],
    [->(db) { db.transaction { |tx| tx.stream("SELECT generate_series(1, 7)", chunk: 4) { |row| row } } },
     [:transaction, nil, nil], [:stream, "SELECT generate_series(1, 7)", 7]],
    [->(db) { db.transaction { |tx| tx.stream("SELECT 8") { |row| row } } }, [:transaction, nil, nil], [:stream, "SELECT 8", 1]],
    [->(db) { db.listen("news").close }, [:listen, "LISTEN \"news\"", nil]],
    [->(db) { db.with(settings: { "work_mem" => "1MB" }).query("SELECT 3") }, [:query, "SELECT 3", 1]],
    [->(db) { db.transaction { |tx| tx.query("SELECT 4") } }, [:transaction, nil, nil], [:query, "SELECT 4", 1]]
  ].freeze
  # Keeps each call's operation.
  module Keeping
    LIST = []

    def operation(operation)
      LIST.push(operation) unless operation.kind == :connect
      super
    end
  end
  # What takes the server 50 ms in two parts, and its caller's block as long.
  FLOWS = [
    ->(db, block) { db.stream("SELECT pg_sleep(0.025) FROM generate_series(1, 2)", chunk: 1, &block) },
    ->(db, block) { db.transaction { |tx| tx.stream("SELECT pg_sleep(0.025) FROM generate_series(1, 2)", chunk: 1, &block) } },
    ->(db, block) { db.copy_out("COPY (SELECT pg_sleep(0.025) FROM generate_series(1, 2)) TO STDOUT", &block) },
    ->(db, block) { db.copy_in("COPY slowly FROM STDIN") { |copy| 2.times { |number| block.call(copy << [number]) } } }
  ].freeze
  private_constant :CALLS, :Keeping, :FLOWS

  def setup
    super
    ActiveSupport::LogSubscriber.colorize_logging = false
  end

  def test_one_hook_sees_every_kind_of_call
    with_client(middlewares: [Keeping]) do |db|
      CALLS.each do |call, *told|
        Keeping::LIST.clear
        call.call(db)
        assert_equal told, (Keeping::LIST.map { |it| [it.kind, it.text && it.text[0, told.find { |kind,| kind == it.kind }[1].size], it.rows] }), told.inspect
        Keeping::LIST.each { |it| assert_operator it.seconds, :>=, it.server_seconds || 0 }
      end
    end
  end

  def test_the_time_of_the_server_is_told_from_the_rest
    with_client(middlewares: [Keeping]) do |db|
      Keeping::LIST.clear
      db.query("SELECT 1 FROM pg_sleep(0.05)")
      error = assert_raises(Trunkline::DivisionByZero) { db.query("SELECT 1/0") }
      slept, failed = Keeping::LIST
      assert_operator slept.server_seconds, :>=, 0.04
      assert_in_delta slept.seconds, slept.server_seconds + slept.waiting_seconds, 1e-9
      assert_same error, failed.error
    end
  end

  def test_streams_and_copies_tell_the_time_of_the_server_from_that_of_the_block
    with_client(middlewares: [Keeping]) do |db|
      db.execute_script(<<~SQL)
        CREATE TABLE slowly (number int);
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(0.025); RETURN NEW; END$$;
        CREATE TRIGGER slow BEFORE INSERT ON slowly FOR EACH ROW EXECUTE FUNCTION slow();
      SQL
      FLOWS.each { |call| assert_parts(db, call) }
    ensure
      db.execute_script("DROP TABLE slowly; DROP FUNCTION slow")
    end
  end

  def test_the_line_of_a_stream_has_the_time_of_its_block
    lines = logged { |db| db.stream("SELECT generate_series(1, 2)") { |row| row } }
    assert_match(/stream \(\d+\.\d ms: server \d+\.\d, waited \d+\.\d, block \d+\.\d; 2 rows; /, lines.last)
  end

  def test_a_log
    lines = logged do |db|
      db.query("SELECT * FROM generate_series(1, 5) WHERE $1", true)
      assert_raises(Trunkline::UndefinedColumn) { db.query("SELECT nowhere") }
      assert_raises(Trunkline::SyntaxError) { db.query("CREATE ROLE ada PASSWORD 'hunter2' NO SUCH") }
    end.reject { |line| line.include?("connect (") }
    assert_match(/\ADEBUG query \(\d+\.\d ms: server \d+\.\d, waited \d+\.\d; 5 rows; #{Regexp.escape(postgres_server.socket_directory)}\S*\)  SELECT \* FROM .* WHERE \$1\n\z/, lines[0])
    assert_match(/; Trunkline::UndefinedColumn\)  SELECT nowhere$/, lines[1])
    assert_match(/\)  CREATE ROLE ada PASSWORD \*\*\*$/, lines[2])
  end

  def test_slow_ones_alone
    assert_empty(logged(slow: 3600) { |db| db.query("SELECT 1") })
    assert_match(/\AWARN query .*SELECT 1$/, logged(slow: 0) { |db| db.query("SELECT 1") }.grep(/SELECT/).first)
    taken = Struct.new(:seconds, :kind, :server_seconds, :waiting_seconds, :block_seconds, :rows, :server, :error, :text)
    out = StringIO.new
    log = Trunkline.const_get(:QueryLog).new(Logger.new(out), 0.1)
    [0.099, 0.1, 0.2].each { |seconds| log.around(taken.new(seconds, :query, nil, nil, nil, nil, "here", nil, "SELECT #{seconds}")) { nil } }
    assert_equal ["SELECT 0.1", "SELECT 0.2"], out.string.scan(/SELECT .*/)
  end

  def test_colours_are_active_records
    ActiveSupport::LogSubscriber.colorize_logging = true
    assert_includes logged { |db| db.query("SELECT 1") }.join, "\e[1m\e[34mSELECT 1\e[0m"
    ActiveSupport::LogSubscriber.colorize_logging = false
    refute_includes logged { |db| db.query("SELECT 1") }.join, "\e["
  ensure
    ActiveSupport::LogSubscriber.colorize_logging = false
  end

  def test_what_is_no_logger
    [[{ logger: "log/app.log" }, /\Alogger must be a Logger, with debug and warn, not String/], [{ logger: Logger.new(nil), slow: "1" }, /\Aslow must be a number of seconds/],
     [{ slow: 1 }, /\Aslow: .*pass logger: too/]].each do |options, told|
      assert_match told, assert_raises(ArgumentError) { Trunkline.postgres(postgres_server.uri, **options) }.message
      assert_match told, assert_raises(ArgumentError) { Trunkline.memcached("127.0.0.1", **options) }.message
    end
  end

  def test_memcached_is_logged_too
    out = StringIO.new
    Trunkline.memcached(memcached.address, logger: Logger.new(out)) { |cache| cache.set("greeting", "hello") && cache.get("greeting") }
    assert_match(/command \(\d+\.\d ms; #{memcached.address}\)  ms$.*command .*  mg$/m, out.string)
  end

  def test_events_of_active_support
    events = []
    subscriber = ActiveSupport::Notifications.subscribe(/\.trunkline\z/) { |event| events << event unless event.name.start_with?("connect") }
    with_client(middlewares: [Trunkline::ActiveSupportEvents]) do |db|
      db.transaction { |tx| tx.query("SELECT generate_series(1, 3)") }
      assert_raises(Trunkline::UndefinedColumn) { db.query("SELECT nowhere") }
    end
    assert_equal %w[query.trunkline transaction.trunkline query.trunkline], events.map(&:name)
    assert_equal [:query, "SELECT generate_series(1, 3)", 3], events.first.payload.values_at(:kind, :sql, :rows)
    assert_equal "Trunkline::UndefinedColumn", events.last.payload[:exception].first
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  def test_spans_of_open_telemetry
    spans = spans_of do |db|
      db.transaction { |tx| tx.query("SELECT generate_series(1, $1) WHERE 'hunter2' <> ''", 3) }
      assert_raises(Trunkline::UndefinedColumn) { db.query("SELECT nowhere") }
    end
    query, transaction, failed = spans
    assert_equal ["SELECT postgres", "TRANSACTION postgres", "SELECT postgres"], spans.map(&:name)
    assert_equal transaction.span_id, query.parent_span_id
    assert_equal ["postgresql", "postgres", "SELECT", 3], query.attributes.values_at("db.system.name", "db.namespace", "db.operation.name", "db.response.returned_rows")
    assert_equal [postgres_server.socket_directory, postgres_server.port], query.attributes.values_at("server.address", "server.port")
    refute_includes query.attributes.to_s, "hunter2"
    assert_equal ["Trunkline::UndefinedColumn", "42703"], failed.attributes.values_at("error.type", "db.response.status_code")
  end

  # Comments of each request would make a name of its own for each span.
  def test_the_names_of_spans
    spans = spans_of do |db|
      ["/* action: it's 1 */ -- 'SHOW\n SELECT 1", "(SELECT 2)", "--\nVALUES (1)", "/* /* SHOW */ */ WITH a AS (SELECT 1) SELECT 2"].each { |sql| db.query(sql) }
      assert_raises(Trunkline::SyntaxError) { db.query("42") }
    end
    assert_equal %w[SELECT SELECT VALUES WITH QUERY], (spans.map { |span| span.attributes["db.operation.name"] })
  end

  def test_the_address_of_a_span
    [[:postgresql, "[::1]:5432/app", "::1", 5432, "app"], [:postgresql, "db.example:5433/a/b", "db.example", 5433, "a/b"], [:postgresql, "/run/pg:5432/app", "/run/pg", 5432, "app"],
     [:postgresql, "one:5432,two:5433/app", "one:5432,two:5433/app", nil, nil], [:memcached, "cache:11211", "cache", 11_211, nil], [:memcached, "/run/cache", "/run/cache", nil, nil]]
      .each do |system, server, *told|
        attributes = Trunkline::OpenTelemetrySpans.attributes(Trunkline::Operation.new(:connect, server, hook: :connect, arguments: [], system: system))
        assert_equal [system.name, *told], attributes.values_at("db.system.name", "server.address", "server.port", "db.namespace"), server
      end
  end

  def test_spans_of_memcached
    host, port = memcached.address.split(":")
    spans = recorded { Trunkline.memcached(memcached.address, middlewares: [Trunkline::OpenTelemetrySpans]) { |cache| cache.get("greeting") } }
    assert_equal [["CONNECT", "memcached", host, port.to_i], ["mg", "memcached", host, port.to_i]],
                 (spans.map { |span| [span.name, *span.attributes.values_at("db.system.name", "server.address", "server.port")] }.sort)
  end

  def test_events_and_spans_of_every_kind_of_call
    kinds = []
    subscriber = ActiveSupport::Notifications.subscribe(/\.trunkline\z/) { |event| kinds << event.payload[:kind] unless event.payload[:kind] == :connect }
    spans = spans_of(Trunkline::ActiveSupportEvents) { |db| CALLS.each { |call,| call.call(db) } }
    told = CALLS.flat_map { |_, *calls| calls }
    assert_equal told.map(&:first).sort, kinds.sort
    assert_equal told.map { |_, _, rows| rows.inspect }.sort, spans.map { |span| span.attributes["db.response.returned_rows"].inspect }.sort
    assert_equal ["postgresql"], spans.map { |span| span.attributes["db.system.name"] }.uniq
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  private

  # A caller that gets no processor while the server works has nothing to wait for afterwards: then it calls once more.
  def assert_parts(db, call)
    told = nil
    assert eventually { (told = parts(db, call)).server_seconds >= 0.024 }, "#{told.server_seconds} s"
    assert_operator told.block_seconds, :>=, 0.049
    assert_in_delta told.seconds, told.server_seconds + told.waiting_seconds + told.block_seconds, 1e-6
  end

  # The block of a COPY IN is left before the server is through with what it was sent.
  def parts(db, call)
    Keeping::LIST.clear
    call.call(db, ->(_) { sleep(0.025) })
    Keeping::LIST.find { |it| %i[stream copy].include?(it.kind) }
  end

  def with_client(**options, &block) = Trunkline.postgres(postgres_server.uri, **options, &block)

  # @return [Array<String>] lines of level and text
  def logged(**options, &block)
    out = StringIO.new
    logger = Logger.new(out, formatter: ->(level, _, _, text) { "#{level} #{text}\n" })
    with_client(logger: logger, **options, &block)
    out.string.lines
  end

  # @return [Array<OpenTelemetry::SDK::Trace::SpanData>] but for those of connecting
  def spans_of(*middlewares, &block)
    recorded { with_client(middlewares: [Trunkline::OpenTelemetrySpans, *middlewares], &block) }.reject { |span| span.name.start_with?("CONNECT") }
  end

  # @return [Array<OpenTelemetry::SDK::Trace::SpanData>] of the block
  def recorded
    before = OpenTelemetry.tracer_provider
    exporter = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new
    provider = OpenTelemetry::SDK::Trace::TracerProvider.new
    provider.add_span_processor(OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(exporter))
    OpenTelemetry.tracer_provider = provider
    yield
    exporter.finished_spans
  ensure
    OpenTelemetry.tracer_provider = before
  end
end
