# frozen_string_literal: true

require "suites"
require "support/neighbourhood"
require "support/query_messages"
require "support/scripted_server"

# What callers and servers get wrong: a clear error in time, and the neighbours go on.
class BadInputTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Neighbourhood
  include Trunkline::QueryMessages

  # @return [Exception] the bad call's, while the neighbours go on
  def error_amid_neighbours(type, &call)
    amid_neighbours { |db| assert_raises(type) { call.call(db) } }
  end

  def test_invalid_utf8
    [+"\xFF", "abc\xC3", "\xED\xA0\x80"].each do |bytes|
      error = error_amid_neighbours(EncodingError) { |db| db.query("SELECT $1::text", bytes) }
      assert_equal "$1 is not valid UTF-8; a bytea takes a binary String, see String#b", error.message
    end
    error_amid_neighbours(EncodingError) { |db| db.query("SELECT '\xFF'") }
  end

  def test_invalid_utf8_as_bytes_for_a_text
    error = error_amid_neighbours(EncodingError) { |db| db.query("SELECT $1::text", "\xFF".b) }
    assert_match(/\A\$1 is not valid UTF-8/, error.message)
  end

  def test_a_zero_byte
    error = error_amid_neighbours(ArgumentError) { |db| db.query("SELECT $1::text, $2::text", "fine", "a\0b") }
    assert_equal "$2 holds a NUL character, which text cannot", error.message
    error = error_amid_neighbours(ArgumentError) { |db| db.query("SELECT 1\0") }
    assert_equal "the SQL contains a null byte", error.message
  end

  def test_too_many_parameters
    error = error_amid_neighbours(ArgumentError) { |db| db.query("SELECT 1", *Array.new(65_536, 1)) }
    assert_equal "a statement has 65535 parameters at most, and 65536 were given", error.message
  end

  def test_the_most_parameters
    list = (1..65_535).map { |number| "$#{number}" }.join("+")
    assert_equal 65_535, (amid_neighbours { |db| db.value("SELECT count(x) FROM unnest(ARRAY[#{list.tr("+", ",")}]::int[]) AS x", *1..65_535) })
  end

  def test_an_array_for_several_placeholders
    2.times do
      error = error_amid_neighbours(ArgumentError) { |db| db.query("SELECT $1::int + $2::int", [1, 2]) }
      assert_match(/pass parameters separately/, error.message)
    end
  end

  def test_an_array_for_one_that_takes_none
    error = error_amid_neighbours(ArgumentError) { |db| db.query("SELECT $1::int", [1]) }
    assert_match(/pass parameters separately/, error.message)
  end

  def test_values_of_no_type
    [Object.new, BasicObject.new, 1i, Class, $stdout].each do |value|
      error = error_amid_neighbours(TypeError) { |db| db.query("SELECT $1::text", value) }
      assert_match(/\Acannot send a .* as \$1/, error.message)
    end
  end

  def test_sql_of_no_type
    [nil, 1, :select, ["SELECT 1"], BasicObject.new, [BasicObject.new]].product(%i[query value async prepare explain classify stream copy_in]) do |sql, verb|
      error = error_amid_neighbours(TypeError) { |db| db.public_send(verb, sql) { flunk } }
      assert_match(/\ASQL must be a String, not (nil|Integer|Symbol|Array|BasicObject)\z/, error.message)
    end
  end

  def test_a_value_that_is_none_of_its_type
    { "one" => Trunkline::InvalidTextRepresentation, 10**12 => Trunkline::NumericValueOutOfRange }.each do |value, error|
      amid_neighbours { |db| 3.times { assert_raises(error) { db.query("SELECT $1::int", value) } } }
    end
  end

  # The client's own messages have none; the server's are told as they are.
  def test_what_a_message_tells_of_a_value
    amid_neighbours do |db|
      ["hunter2\0", "hunter2\xFF", "hunter2\x82".dup.force_encoding("Shift_JIS"), ["hunter2", Object.new], { "a" => "hunter2\xFF" }].each do |value|
        error = assert_raises(ArgumentError, TypeError, EncodingError) { db.query("SELECT $1::text", value) }
        refute_match(/hunter2|x82/, error.message)
      end
      assert_match(/type integer: "hunter2"/, assert_raises(Trunkline::InvalidTextRepresentation) { db.query("SELECT $1::int", "hunter2") }.message)
    end
  end

  def test_more_bytes_than_a_server_takes
    text = "x" * 110_000_000
    error = error_amid_neighbours(ArgumentError) do |db|
      db.query("SELECT #{(1..10).map { |number| "length($#{number}::text)" }.join("+")}", *[text] * 10)
    end
    assert_equal "the parameters have 1100000000 bytes, and the server takes 1072693248 at most", error.message
  end

  def test_a_wrong_number_of_parameters
    amid_neighbours do |db|
      [[], [1], [nil], [1, 2, 3], [nil, nil, nil]].each do |given|
        2.times do
          error = assert_raises(ArgumentError) { db.query("SELECT $1::int + $2::int, #{given.size}", *given) }
          assert_match(/\Athe statement has 2 parameters, and #{given.size} were given/, error.message)
        end
      end
    end
  end

  def test_misspelt_options
    { conections: 1, hots: "x" }.each do |name, value|
      error = assert_raises(Trunkline::ConfigError) { Trunkline.postgres(postgres_server.uri, name => value) }
      assert_match(/#{name}/, error.message)
    end
    assert_raises(Trunkline::ConfigError) { Trunkline.postgres("#{postgres_server.uri}&hots=x") }
    { connections: 0, max_connections: 0, keys: :strings }.each do |name, value|
      error = assert_raises(ArgumentError) { Trunkline.postgres(postgres_server.uri, name => value) }
      assert_match(/#{name}/, error.message)
    end
  end

  def test_a_misspelt_keyword_of_a_query
    error_amid_neighbours(StandardError) { |db| db.query("SELECT 1", deadlin: 1) }
  end

  def test_a_closed_client
    in_host do
      db = Trunkline.postgres(postgres_server.uri)
      db.query("SELECT 1")
      db.close
      [-> { db.query("SELECT 1") }, -> { db.async("SELECT 1").value }, -> { db.execute_script("SELECT 1") }, -> { db.session { flunk } }].each do |call|
        error = assert_raises(Trunkline::Closed, &call)
        assert_match(/\Athe client is closed/, error.message)
      end
    end
  end

  def test_a_wrong_password_and_an_unknown_database_for_every_caller
    with_server(hba: "local all strict scram-sha-256\nlocal all all trust\n") do |server|
      server.psql("CREATE ROLE strict LOGIN PASSWORD 'right'")
      { server.uri(user: "strict") => "28P01", server.uri(dbname: "nowhere") => "3D000" }.each do |uri, sqlstate|
        in_host do
          Trunkline.postgres(uri, password: "wr0ng") do |db|
            errors = side_by_side(1..50) { assert_raises(Trunkline::LoginError) { db.query("SELECT 1") } }
            assert_equal [[sqlstate], 50], [errors.map(&:sqlstate).uniq, errors.uniq(&:object_id).size]
            refute_match(/wr0ng/, errors.map(&:full_message).join)
          end
        end
      end
    end
  end

  # --- servers that are none ---

  SESSION = ->(peer) { peer.startup && peer << Trunkline::BackendMessages.authentication(0) << Trunkline::BackendMessages.session }
  private_constant :SESSION

  # The first connection goes wrong as the block says, those after it work.
  #
  # @yieldparam peer [ScriptedServer::Peer] that has a session
  def with_bad_server(wrong, **options)
    connection = 0
    script = lambda do |peer|
      SESSION.call(peer)
      (connection += 1) == 1 ? wrong.call(peer) : answer_all(peer)
    end
    Trunkline::ScriptedServer.open(script) do |server|
      in_host do
        Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d", connections: 1, max_connections: 2, **options) { |db| yield db }
      end
    end
  end

  # Every statement returns 1.
  def answer_all(peer)
    known = false
    loop do
      type, = peer.message
      return if type == "X"
      next peer << Trunkline::BackendMessages.message("I") << Trunkline::BackendMessages.ready if type == "Q" # a script's answer, without rows
      next unless type == "S"

      peer << (known ? later_answer(["\0\0\0\1"]) : first_answer({ "n" => INT4 }, ["1"]))
      known = true
    end
  end

  def answer_or_error(db)
    db.value("SELECT 1")
  rescue Trunkline::Indeterminate => error
    error
  end

  def until_sync(peer)
    nil until peer.message.first == "S"
  end

  NONSENSE = {
    "a negative length" => "D\xFF\xFF\xFF\xFF", "no length" => "D\0\0\0\0", "an oversized length" => "D\x7F\xFF\xFF\xFF",
    "text" => "HTTP/1.1 400 Bad Request\r\n\r\n", "a column count that lies" => "T\0\0\0\6\0\5", "an unknown message" => "x\0\0\0\4",
    "an answer without a request" => "Z\0\0\0\5IZ\0\0\0\5I", "no answer" => "Z\0\0\0\5I", "a COPY" => "G\0\0\0\7\0\0\0"
  }.freeze
  private_constant :NONSENSE

  NONSENSE.each do |name, bytes|
    define_method(:"test_a_server_that_sends_#{name.tr(" ", "_")}") do
      wrong = lambda do |peer|
        until_sync(peer)
        peer << bytes.b
        peer.drain
      end
      with_bad_server(wrong) do |db|
        errors, answers = side_by_side(1..20) { answer_or_error(db) }.partition { |outcome| outcome.is_a?(Exception) }
        assert_equal [], answers - [1], "the late request went to another connection"
        assert_equal [true], errors.map(&:sent?).uniq
        assert_match(/\Athe connection was lost: /, errors.first.message)
        assert_equal 1, db.value("SELECT 1")
      end
    end
  end

  def test_a_server_that_closes_after_any_byte_of_an_answer
    whole = first_answer({ "n" => INT4 }, ["1"])
    whole.bytesize.times do |count|
      wrong = lambda do |peer|
        until_sync(peer)
        peer << whole.byteslice(0, count) if count.positive?
      end
      with_bad_server(wrong) do |db|
        error = assert_raises(Trunkline::Indeterminate) { db.query("SELECT 1") }
        assert_match(/the server closed the connection/, error.message)
        assert_equal 1, db.value("SELECT 1")
      end
    end
  end

  def test_a_server_that_is_not_postgresql
    Trunkline::ScriptedServer.open(->(peer) { peer.startup && peer << "HTTP/1.1 400 Bad Request\r\n\r\n" }) do |server|
      in_host do
        Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d") do |db|
          3.times { assert_raises(Trunkline::ProtocolError, Trunkline::ConnectionError) { db.query("SELECT 1") } }
        end
      end
    end
  end

  def test_a_server_that_closes_after_any_byte_of_the_handshake
    handshake = Trunkline::BackendMessages.authentication(0) + Trunkline::BackendMessages.session
    budget = 0
    script = lambda do |peer|
      peer.startup
      peer << handshake.byteslice(0, budget) if budget.positive?
    end
    Trunkline::ScriptedServer.open(script) do |server|
      in_host do
        (handshake.bytesize - 1).times do |count|
          budget = count
          Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d") do |db|
            assert_raises(Trunkline::ConnectionError) { db.query("SELECT 1") }
          end
        end
      end
    end
  end

  def test_a_server_that_says_nothing
    Trunkline::ScriptedServer.open(->(peer) { peer.startup && peer.drain }) do |server|
      in_host do
        Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d", connect_timeout: 0.2) do |db|
          errors = side_by_side(1..10) { assert_raises(Trunkline::ConnectionError) { db.query("SELECT 1") } }
          assert_match(/time|second/, errors.first.message)
        end
      end
    end
  end

  # What waited for the server's attention when its idle session came to an end has had none, and is sent again.
  def test_a_server_that_ends_an_idle_session_as_a_request_arrives
    { "57P05" => "idle for too long", "25P03" => "idle for too long", "08P01" => "client_idle_timeout" }.each do |code, message|
      ends = Trunkline::BackendMessages.error("E", S: "FATAL", V: "FATAL", C: code, M: message)
      with_bad_server(->(peer) { until_sync(peer) || peer << ends }) { |db| assert_equal 1, db.value("SELECT 1") }
      with_bad_server(->(peer) { until_sync(peer) || peer << ends }) { |db| assert_equal [[1]], db.batch(atomic: true) { |batch| batch.query("SELECT 1") }.map(&:rows).flatten(1) }
      with_bad_server(->(peer) { until_sync(peer) || peer << Trunkline::BackendMessages.message("1") << ends }) do |db|
        assert_raises(Trunkline::Indeterminate) { db.query("SELECT 2") }
      end
    end
  end

  def test_the_servers_last_words
    wrong = ->(peer) { until_sync(peer) || peer << Trunkline::BackendMessages.error("E", S: "FATAL", V: "FATAL", C: "57P01", M: "going down") }
    with_bad_server(wrong) do |db|
      error = assert_raises(Trunkline::Indeterminate) { db.query("SELECT 1") }
      assert_match(/\Athe connection was lost: going down/, error.message)
      assert_equal 1, db.value("SELECT 1")
    end
  end
end
