# frozen_string_literal: true

require "test_helper"
require "securerandom"
require "support/children"
require "support/database_helpers"
require "support/guide_code"

# The program of guides/roda-hanami-and-rom.md, whose rom-sql comes with hanami-db.
class ROMTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  # What goes on from there: streams, a command, an error.
  FURTHER = <<~RUBY
    users = rom.relations[:users]
    users.command(:create, result: :many).call([{ id: 2, name: "Grace" }, { id: 3, name: "Joan" }])
    connection = rom.gateways[:default].connection
    streaming = ROM.container(:sql, connection) { |config| config.relation(:users) { use(:pg_streaming); schema(infer: true) } }
    streamed = []
    streaming.relations[:users].order(:id).stream_each { |user| streamed << user[:name] }
    refused = begin
      users.command(:create).call(id: 1, name: "Ada")
    rescue ROM::SQL::UniqueConstraintError => error
      error.original_exception.wrapped_exception.is_a?(Trunkline::UniqueViolation)
    end
    p found, streamed, refused, connection.class, connection.database_type
  RUBY
  private_constant :FURTHER

  def test_the_program_of_the_guide
    database = "rom_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{database}")
    url = "postgres://postgres@127.0.0.1:#{postgres_server.port}/#{database}"
    program = GuideCode.block("roda-hanami-and-rom", /rom = /).sub("postgres://localhost/app", url).sub(/^rom\.relations.*/, 'found = \0')
    made = "Trunkline.postgres(#{url.inspect}) { |db| db.execute_script(\"CREATE TABLE users (id int PRIMARY KEY, name text); INSERT INTO users VALUES (1, 'Ada')\") }"
    output, status = run_program("$VERBOSE = nil\n#{made}\nrequire 'trunkline/sequel/postgres'\nrequire 'rom'\nrequire 'rom-sql'\nrequire 'rom/plugins/relation/sql/postgres/streaming'\n#{program}\n#{FURTHER}")
    assert_predicate status, :success?, output
    assert_equal [{ id: 1, name: "Ada" }.inspect, '["Ada", "Grace", "Joan"]', "true", "Sequel::Trunkline::Database", ":postgres"], output.lines(chomp: true).last(5)
  ensure
    psql("DROP DATABASE IF EXISTS #{database} WITH (FORCE)")
  end
end
