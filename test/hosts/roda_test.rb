# frozen_string_literal: true

require "test_helper"
require "json"
require "securerandom"
require "tmpdir"
require "support/children"
require "support/database_helpers"
require "support/guide_code"

# The application of guides/roda-hanami-and-rom.md, and its migrations, each in a process of its own.
class RodaTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  # What asks the application, by threads too.
  REQUESTS = <<~RUBY
    asks = Rack::MockRequest.new(App.app)
    created = Array.new(24) { |number| Thread.new { asks.post("/users", params: { "name" => "name \#{number}" }).body } }.map(&:value)
    read = created.map { |id| Thread.new { JSON.parse(asks.get("/users/\#{id}").body) } }.map(&:value)
    refused = begin
      asks.post("/users", params: { "name" => "name 0" })
    rescue Sequel::UniqueConstraintViolation => error
      [error.wrapped_exception.is_a?(PG::UniqueViolation), error.message[/DETAIL:.*/]]
    end
    puts JSON.generate([DB.class.name, created.uniq.size, read.map { |user| user["name"] }, refused, DB.client.stats[:open], DB[:users].count])
  RUBY
  MIGRATION = <<~RUBY
    Sequel.migration { up { create_table(:migrated) { String :by }; self[:migrated].insert(by: self.class.name) } }
  RUBY
  private_constant :REQUESTS, :MIGRATION

  def test_the_application_of_the_guide
    in_database("CREATE TABLE users (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE)") do |url|
      output = printed("require 'bundler'\n#{required}\nrequire 'pg' # as a gem does that names its errors\nrequire 'json'\nrequire 'rack/mock_request'\n#{GuideCode.block("roda-hanami-and-rom", /DB = /)}\n#{REQUESTS}", url)
      name, created, read, refused, open, count = JSON.parse(output.lines.last)
      assert_equal ["Sequel::Trunkline::Database", 24, Array.new(24) { |number| "name #{number}" }, 24], [name, created, read.sort_by { |one| one[/\d+/].to_i }, count]
      assert_equal [true, "DETAIL:  Key (name)=(name 0) already exists."], refused
      assert_operator open, :<=, 16
      assert_equal "Sequel::Postgres::Database", printed("#{required}\nprint Sequel.connect(ENV.fetch('DATABASE_URL')).class", url, "TRUNKLINE_POSTGRESQL" => "stock")
    end
  end

  def test_its_migrations
    command = File.read(File.expand_path("../../guides/roda-hanami-and-rom.md", __dir__))[/`bundle exec (ruby .* sequel -m migrations) \$DATABASE_URL`/, 1]
    in_database do |url|
      Dir.mktmpdir do |folder|
        Dir.mkdir("#{folder}/migrations")
        File.write("#{folder}/migrations/001_make.rb", MIGRATION)
        output, status = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "-I#{LIBRARY}", *command.split.drop(1), url, chdir: folder)
        assert_predicate status, :success?, output
      end
      assert_equal "Sequel::Trunkline::Database", printed("#{required}\nprint Sequel.connect(ENV.fetch('DATABASE_URL'))[:migrated].get(:by)", url)
    end
  end

  private

  # What the Gemfile of the guide has required, in its order.
  def required
    gems = GuideCode.block("roda-hanami-and-rom", /gem "roda"/).lines.map { |line| [line[/gem "(\w+)"/, 1], line[/require: "?([\w\/]+)/, 1]] }
    assert_equal %w[roda sequel trunkline pg], gems.map(&:first)
    gems.filter_map { |name, library| "require '#{library || name}'" unless library == "false" }.join("\n")
  end

  def in_database(sql = nil)
    name = "roda_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{name}")
    url = "postgres://postgres@127.0.0.1:#{postgres_server.port}/#{name}"
    printed("Trunkline.postgres(ENV.fetch('DATABASE_URL')) { |db| db.query(#{sql.inspect}) }", url) if sql
    yield url
  ensure
    psql("DROP DATABASE IF EXISTS #{name} WITH (FORCE)")
  end

  def printed(program, url, more = {})
    output, status = run_program("$VERBOSE = nil\n#{program}", environment: { "DATABASE_URL" => url, "NO_SEQUEL_PG" => "1", **more })
    assert_predicate status, :success?, output
    output.lines.grep_v(/gems\/.*warning/).join
  end
end
