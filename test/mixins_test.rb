# frozen_string_literal: true

require "test_helper"
require "support/mixin_variables"

# State has one owner: a class with a constructor. A module whose methods use the instance variables of what includes it shares that state,
# which then can be changed from several files; it fails here unless it is listed, with its variables and the reason. A list that says more
# than there is fails too.
class MixinsTest < Trunkline::TestCase
  # Verbs, which clients, sessions, transactions, scopes and readers have in common, and share no code in a superclass as a scope delegates. They
  # ask the object's executor; statements, result_class, deadline and idempotent are what each query needs of it without another call.
  EXECUTED = {
    "postgres/verbs/batching" => %w[deadline executor idempotent statements],
    "postgres/copy/copying" => %w[deadline executor],
    "postgres/verbs/describing" => %w[deadline executor statements],
    "postgres/verbs/inserting" => %w[deadline executor result_class statements],
    "postgres/notifications/listening" => %w[executor],
    "postgres/verbs/probing" => %w[deadline],
    "postgres/verbs/querying" => %w[deadline executor idempotent result_class statements],
    "postgres/replicas/replicated" => %w[executor],
    "postgres/verbs/streaming" => %w[deadline executor result_class]
  }.freeze

  # Verbs of memcached's client, one group a file, which ask its cluster: what they make of keys, values and times are objects of its own.
  CLUSTERED = {
    "memcached/administration" => %w[cluster],
    "memcached/counting" => %w[cluster keys],
    "memcached/fetching" => %w[cache_nils cluster keys values],
    "memcached/reading" => %w[cluster keys values],
    "memcached/writing" => %w[cluster keys life time_to_live values]
  }.freeze

  # What extends an object that has middlewares, so that others pay nothing for it: the same methods, with the middlewares around them.
  AROUND = {
    "postgres/verbs/instrumented" => %w[executor],
    "memcached/instrumented" => %w[middlewares name]
  }.freeze

  # Readers of a Config's frozen values, by what they are about, as libpq's manual has them.
  READERS = {
    "config/encryption" => %w[values],
    "config/network" => %w[values]
  }.freeze

  # Variables of the module itself, and the one that Ruby looks at when an object is moved to another Ractor.
  OWN = {
    "socket/tls/libssl" => %w[checked obstacle],
    "socket/tls/trust" => %w[kept],
    "trunk/main_ractor" => %w[unmovable]
  }.freeze

  # ActiveRecord, Sequel and programs for the pg gem are extended by modules, or have their own names for one object's parts.
  HOSTS = %w[active_record sequel pg].freeze

  # How a private method is called, or a variable read, from outside; by file, why.
  BY_NAME = /__send__|(?<!public_)(?<![\w.])send\(|\.send\(:|instance_variable_[gs]et/
  DEMANDED = {
    "active_record/adapter" => "Rails tells in no other way whether the transaction that is open was begun by its tests",
    "active_record/connection" => "PG::Connection, as which it passes, has a `new` of its own",
    "pg/connection" => "likewise",
    "pg/type_maps" => "programs' own maps may have private methods, which the pg gem calls; and its decoders show programs no more than pg's do",
    "pg/foreign_type_map" => "programs' own maps",
    "sequel/pool" => "private methods of Sequel's own", "sequel/prepared" => "likewise",
    "sequel/likeness" => "whether it is one for `===` is the class's own affair"
  }.freeze

  LIBRARY = File.expand_path("../lib/trunkline", __dir__)
  EXTENSION = File.expand_path("../ext/trunkline", __dir__)
  private_constant :EXECUTED, :CLUSTERED, :AROUND, :READERS, :OWN, :HOSTS, :BY_NAME, :DEMANDED, :LIBRARY, :EXTENSION

  def test_mixins_share_no_variables_but_those_that_are_listed
    found = ours.to_h { |file| [file, bare(MixinVariables.of(path(file)))] }
    assert_equal listed.sort.to_h, found.reject { |_, variables| variables.empty? }.sort.to_h
  end

  # Constructors set them.
  def test_mixins_change_none_of_them
    found = (ours - OWN.keys).to_h { |file| [file, bare(MixinVariables.assigned(path(file)))] }
    assert_empty(found.reject { |_, variables| variables.empty? })
  end

  def test_objects_are_not_reached_into_by_name
    found = Dir.glob("**/*.rb", base: LIBRARY).select { |file| code(file).match?(BY_NAME) }.map { |file| file.delete_suffix(".rb") }
    assert_equal DEMANDED.keys.sort, found.sort
  end

  # A variable without @ is the extension's own, and cannot be named in Ruby. Those of a class in Ruby are stated by the class: see plain_object.h.
  def test_the_extension_names_no_instance_variable
    sources = Dir.glob("**/*.{c,h}", base: EXTENSION).to_h { |file| [file, File.read(File.join(EXTENSION, file)).gsub(%r{/\*.*?\*/}m, "")] }
    assert_operator sources.size, :>, 100
    assert_empty(sources.select { |_, code| code.match?(/"@/) }.keys)
    assert_equal %w[common/plain_object.c trunk/runtime/scoped_value.c], sources.select { |_, code| code.match?(/rb_(?:iv|ivar|attr)_[gs]et\b/) }.keys.sort
  end

  # What it asks of connections and wires are public methods: Ruby refuses others.
  def test_the_loop_in_c_calls_public_methods_only
    files = Dir.glob("trunk/connection/connection_{io,loop}.c", base: EXTENSION)
    assert_equal 2, files.size
    files.each { |file| assert_empty File.read(File.join(EXTENSION, file)).scan(/rb_funcall(?:v|v_kw)?\(/), file }
  end

  private

  def listed = { **EXECUTED, **CLUSTERED, **AROUND, **READERS, **OWN }
  def path(file) = File.join(LIBRARY, "#{file}.rb")
  def bare(variables) = variables.values.flatten.uniq.sort.map { |variable| variable.delete_prefix("@") }
  def code(file) = File.read(File.join(LIBRARY, file)).gsub(/^\s*#.*$/, "")
  def ours = Dir.glob("**/*.rb", base: LIBRARY).map { |file| file.delete_suffix(".rb") }.reject { |file| HOSTS.include?(file[%r{[^/]+}]) }
end
