# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "tsort"
require_relative "support/source_file"

# The house has rooms, and what lies in one may only use the rooms to its left.
class LayeringTest < Trunkline::TestCase
  # Lower may be used by higher, and the entry file ("lib") by hosts; two layers of one number know nothing of each other.
  LAYERS = {
    "common" => 0, "bytes" => 1, "socket" => 2, "trunk" => 3, "postgres" => 4, "memcached" => 4,
    "fibers" => 5, "pg" => 6, "schedulers" => 6, "instrumentation" => 6, "lib" => 6,
    "active_record" => 7, "sequel" => 7, "rails" => 7, "rack" => 7, "cli" => 8, "postgresql.rb" => 8
  }.freeze

  # What every layer may use: plain values, errors, configuration, and what users may put around it.
  COMMON = %w[argument config errors interval open_range middleware_check middlewares operation other_names query_log terminal_text time_of_day version].freeze

  # Words of the protocols; the trunk between them knows neither.
  PROTOCOL_WORDS = /
    \b(Sync|Bind|Parse|Describe|Execute|ReadyForQuery|CommandComplete|ParameterStatus|RowDescription)\b |
    \b(Postgres\w*|PG\w*|SQL|sqlstate|[Mm]emcached?)\b | ["'](get|set|add|replace|delete|incr|decr|touch|m[ngsda])\b
  /x

  # Folders of the extension's room for PostgreSQL, which use each other in the same way.
  POSTGRES_FOLDERS = {
    "sql" => 0, "messages" => 0, "types" => 1, "rows" => 2, "copy" => 3, "statements" => 3, "session" => 4, "answers" => 5, "codec" => 6
  }.freeze

  # Folders of the library's room for PostgreSQL: from what depends on nothing but values to the client.
  POSTGRES_ROOMS = {
    "codec" => 0, "statements" => 0, "types" => 0, "parameters" => 0, "results" => 1, "group_commit" => 1, "connect" => 2, "request" => 3,
    "copy" => 4, "notifications" => 4, "verbs" => 5, "session" => 6, "virtual_session" => 7, "replicas" => 8, "client" => 9
  }.freeze

  # Files in one folder, those of its folders not counted, and a source and its header as one.
  MOST_FILES = 30

  # Folders of the extension's trunk: clocks and flags, requests, connections, and the choice among connections.
  TRUNK_FOLDERS = { "runtime" => 0, "requests" => 1, "connection" => 2, "balancer" => 3 }.freeze

  # C that is tested and fuzzed without a Ruby around it.
  WITHOUT_RUBY = %w[
    bytes/* memcached/meta_*.* postgres/messages/frame.* postgres/messages/frontend.* postgres/messages/command_tag.* postgres/messages/error_code.*
    postgres/messages/row_description.* postgres/sql/copy_statement.* postgres/messages/parameter_text.* postgres/sql/scanner.* postgres/sql/sql_lists.* postgres/sql/unicode_name.* postgres/sql/classify.*
    postgres/types/array_text.* postgres/types/civil_time.* postgres/types/decimal.*
    trunk/requests/histogram.h trunk/requests/histogram.c
    postgres/types/interval_text.* postgres/types/numeric_binary.* postgres/types/shortest_float.*
  ].freeze

  # Warnings that Ruby's own headers would give are asked for too.
  PEDANTIC = %w[-std=gnu11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iext/trunkline].freeze
  ROOT = File.expand_path("..", __dir__)
  # Of a histogram, which has so many buckets.
  OF_FORM = %w[HISTOGRAM_BUCKETS MICROSECONDS MOST_HELD].freeze
  private_constant :OF_FORM, :PEDANTIC, :ROOT

  LONGEST = { ".rb" => 300, ".c" => 400, ".h" => 400 }.freeze # lines

  def test_each_file_uses_only_the_layers_to_its_left
    sources.each do |source|
      source.uses.each do |used|
        assert allowed?(layer(source), layer(used)), "#{source} must not use #{used}"
      end
    end
  end

  def test_each_file_belongs_to_a_layer
    assert_equal [], sources.reject { |source| LAYERS.key?(layer(source)) }.map(&:to_s)
  end

  def test_folders_of_the_codec_use_only_those_before_them = assert_order("postgres", POSTGRES_FOLDERS)

  def test_the_rooms_for_postgresql_use_only_those_before_them = assert_order("postgres", POSTGRES_ROOMS, from: "lib")

  def test_folders_of_the_trunk_use_only_those_before_them = assert_order("trunk", TRUNK_FOLDERS)

  def test_a_trunk_knows_nothing_of_pools
    trunk, pool = SourceFile.all("lib/trunkline/trunk/**/*.rb").partition { |source| File.dirname(source.path).end_with?("/trunk") }
    refute_empty pool
    trunk.each { |source| source.uses.each { |used| refute_match(%r{/trunk/pool/}, used.path, "#{source} must not use #{used}") } }
  end

  # What is left of these: a request keeps where a session is in its answer.
  CIRCLES = [
    %w[postgres/session/flow postgres/session/parse_context postgres/session/postgres_request postgres/session/session_state]
  ].freeze
  private_constant :CIRCLES

  # A source and its header count as one.
  def test_no_files_of_the_extension_use_each_other_in_a_circle
    uses = SourceFile.all("ext/**/*.{c,h}").group_by { |source| stem(source) }.transform_values { |files| files.flat_map(&:uses).map { |used| stem(used) }.uniq }
    uses.each { |name, used| used.delete(name) }
    assert_operator uses.size, :>, 100
    parts = TSort.strongly_connected_components(uses.method(:each_key), ->(name, &block) { uses.fetch(name, []).each(&block) })
    assert_equal CIRCLES.sort, parts.select { |part| part.size > 1 }.map { |part| part.map { |name| name.delete_prefix("ext/trunkline/") }.sort }.sort
  end

  def test_the_trunk_speaks_no_protocol
    in_trunk = sources.select { |source| layer(source) == "trunk" }
    refute_empty in_trunk
    in_trunk.each { |source| assert_nil source.text[PROTOCOL_WORDS], "#{source} names a protocol" }
  end

  # Ruby 3.1 wakes no other caller that sleeps on a mutex when the one that it has just woken is interrupted. Callers exclude each other by Lock; on a
  # token's mutex one caller sleeps at most.
  def test_no_callers_sleep_on_one_mutex
    makers = SourceFile.all("lib/**/*.rb").select { |source| source.text.match?(/^(?!\s*#).*\b(Mutex|Monitor)\.new/) }.map(&:to_s)
    assert_equal %w[lock pool/pool token].map { |name| "lib/trunkline/trunk/#{name}.rb" }, makers.sort
  end

  def test_the_cores_of_the_extension_stand_without_ruby
    refute_empty cores
    cores.flat_map(&:family).uniq.each do |source|
      assert_nil source.text[/#include [<"]ruby.*/], "#{source} includes Ruby's headers"
    end
  end

  def test_compilers_find_nothing_in_them
    sources = cores.map(&:path).grep(/\.c\z/)
    output, status = Open3.capture2e(RbConfig::CONFIG["CC"].split.first, *PEDANTIC, *sources, chdir: ROOT)
    assert_equal [true, ""], [status.success?, output]
  end

  def test_each_source_of_the_extension_has_an_object_name_of_its_own
    names = SourceFile.all("ext/**/*.c").map { |source| File.basename(source.path) }
    assert_equal names.uniq.sort, names.sort
  end

  # Numbers by which the client decides: each has a name of its own, and its reason beside it.
  def test_constants_of_connections_and_of_their_choice_tell_why
    constants = SourceFile.all("ext/trunkline/trunk/**/*.{c,h}").flat_map do |source|
      source.text.lines.each_cons(2).filter_map do |before, line|
        [line[/\A#define (\w+)/, 1], line.include?("/*") || before.end_with?("*/\n")] if line.match?(/\A#define [A-Z_]+ [(0-9.]/)
      end
    end
    names = constants.map(&:first) - OF_FORM
    assert_operator names.size, :>, 30
    assert_equal names.uniq, names
    assert_empty constants.reject(&:last).map(&:first) - OF_FORM
  end

  def test_no_folder_is_crowded
    folders = sources.group_by { |source| File.dirname(source.path) }.transform_values { |files| files.map { |file| File.basename(file.path, ".*") }.uniq.size }
    assert_equal({}, folders.select { |_, count| count > MOST_FILES })
  end

  def test_each_file_can_be_held
    SourceFile.all("{lib,ext,exe,bin,test,bench,rakelib}/**/*{.rb,.c,.h}").each do |source|
      assert_operator source.lines, :<=, LONGEST.fetch(File.extname(source.path)), "#{source} is too long"
    end
  end

  private

  def stem(source) = source.path.delete_suffix(File.extname(source.path))

  def cores = sources.select { |source| WITHOUT_RUBY.any? { |pattern| source.match?("ext/trunkline/#{pattern}") } }

  # The entry files join the rooms, so they lie in none.
  def sources
    @sources ||= SourceFile.all("lib/trunkline/**/*.rb") + SourceFile.all("ext/trunkline/*/**/*.{c,h}")
  end

  def assert_order(room, folders, from: "ext")
    inside = sources.select { |source| folder(room, source, from) }
    assert_equal folders.keys.sort, inside.map { |source| folder(room, source, from) }.uniq.sort
    inside.each do |source|
      user = folder(room, source, from)
      source.uses.filter_map { |used| folder(room, used, from) }.each do |used|
        assert user == used || folders.fetch(used) < folders.fetch(user), "#{source} must not use #{used}"
      end
    end
  end

  # A file of a folder's name that lies beside it belongs to it.
  def folder(room, source, from)
    source.path[from == "ext" ? %r{\Aext/trunkline/#{room}/(\w+)/} : %r{\Alib/trunkline/#{room}/(\w+)(?:/|\.rb)}, 1]
  end

  def layer(source)
    room = source.path.delete_prefix("lib/trunkline/").delete_prefix("ext/trunkline/").split("/").first
    COMMON.include?(room.delete_suffix(".rb")) ? "common" : room
  end

  def allowed?(user, used)
    user == used || LAYERS.fetch(used) < LAYERS.fetch(user)
  end
end
