# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "rbs"
require "active_record"
require "active_record/connection_adapters/trunkline_adapter"
require "active_support/cache/trunkline_store"
require "trunkline/active_record/position_resolver"
require "rack"
require "sequel"
require "sequel/adapters/trunkline"
require "support/memcached_servers"
require "support/signature_shape"
require "trunkline/instrumentation/stats_socket"
require "trunkline/rack/session"
require "trunkline/rack/thin"
require "trunkline/schedulers/event_machine"

# The signatures in sig/ say what the code does: every public method has one, with the same parameters, and there are no others.
class SignaturesTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  HELD_TO_THEM = { "RBS_TEST_TARGET" => "Trunkline,Trunkline::*", "RBS_TEST_OPT" => "-I sig -r delegate", "RBS_TEST_LOGLEVEL" => "error" }.freeze
  FOLDER = File.expand_path("../sig", __dir__)
  LIBRARY = File.expand_path("../lib", __dir__)
  # Below Trunkline, or in a host's modules.
  OURS = /\bTrunkline/.freeze
  private_constant :HELD_TO_THEM, :OURS, :FOLDER, :LIBRARY

  class << self
    # @return [RBS::Environment] read once: Ruby's own signatures are long
    def environment
      @environment ||= begin
        loader = RBS::EnvironmentLoader.new
        loader.add(library: "delegate", version: nil)
        loader.add(path: Pathname(FOLDER))
        RBS::Environment.from_loader(loader).resolve_type_names
      end
    end

    # @return [RBS::DefinitionBuilder]
    def builder = @builder ||= RBS::DefinitionBuilder.new(env: environment)
  end

  def test_what_they_name_is_there
    each_signed do |name, _|
      definition(name).each_type { |type| self.class.builder.validate_type_presence(type) }
    end
  end

  def test_every_public_method_has_one_with_the_same_parameters
    assert_empty differing(:instance) + differing(:singleton)
  end

  def test_every_one_is_of_a_public_method
    missing = each_signed.flat_map do |name, type|
      signed(name, :instance).keys.reject { |method| type.public_method_defined?(method) }.map { |method| "#{name}##{method}" } +
        signed(name, :singleton).keys.reject { |method| type.respond_to?(method) }.map { |method| "#{name}.#{method}" }
    end
    assert_empty missing
  end

  def test_everything_that_is_mixed_in_has_them
    mixed_in = each_signed.flat_map { |_, type| type.included_modules }.map(&:name).grep(OURS).uniq
    assert_empty mixed_in.select { |name| public_constant?(name) } - each_signed.map(&:first)
  end

  def test_every_error_has_them_under_the_same_superclass
    errors = Trunkline.constants.map { |name| Trunkline.const_get(name) }.select { |type| type.is_a?(Class) && type <= Trunkline::Error }
    assert_empty(errors.reject { |type| type.superclass.name == superclass(type.name) })
  end

  def test_what_is_called_and_returned_fits_them
    with_memcached do |memcached|
      program = [RbConfig.ruby, "-Ilib", "test/support/signed_calls.rb", postgres_server.uri, memcached.address]
      output, status = Open3.capture2e(HELD_TO_THEM, *program, chdir: File.dirname(FOLDER))
      assert_predicate status, :success?, output
    end
  end

  private

  # @return [Array<Array(String, Module)>] every class and module of this library that has signatures, with its name
  def each_signed(&block)
    names = self.class.environment.class_decls.keys.map { |name| name.to_s.delete_prefix("::") }.grep(OURS)
    names.map { |name| [name, Object.const_get(name)] }.each(&block)
  end

  def public_constant?(name)
    parent, _, last = name.rpartition("::")
    Object.const_get(parent).constants(false).include?(last.to_sym)
  end

  def type_name(name) = RBS::TypeName.parse("::#{name}")

  def definition(name) = self.class.builder.build_instance(type_name(name))

  def superclass(name)
    entry = self.class.environment.class_decls[type_name(name)]
    entry&.primary&.decl&.super_class&.name.to_s.delete_prefix("::")
  end

  # @return [Hash{Symbol => RBS::Definition::Method}] those that the type itself has
  def signed(name, kind)
    builder = self.class.builder
    built = kind == :instance ? builder.build_instance(type_name(name)) : builder.build_singleton(type_name(name))
    own = built.methods.select { |_, signature| signature.public? && signature.defs.last.defined_in == type_name(name) }
    own.except(:initialize, :new)
  end

  # @return [Array<String>] a sentence for each public method without a signature, or with other parameters than its signature
  def differing(kind)
    each_signed.flat_map do |name, type|
      signatures = signed(name, kind)
      methods_of(type, kind).filter_map do |method|
        label = "#{name}#{kind == :instance ? "#" : "."}#{method.name}"
        signature = signatures[method.name] or next "#{label} (#{method.source_location.join(":")}) has no signature in sig/"
        theirs, ours = SignatureShape.of_signature(signature), SignatureShape.of_method(method)
        "#{label}: the signature has #{theirs}, the method #{ours}" unless theirs == ours
      end
    end
  end

  def methods_of(type, kind)
    methods = type.singleton_methods(false).map { |name| type.method(name) } if kind == :singleton
    methods ||= type.public_instance_methods(false).map { |name| type.instance_method(name) }
    methods.select { |method| documented?(method) }
  end

  # Methods in C have no place in the source, and what only the library's own files may call is marked.
  def documented?(method)
    path, line = method.source_location
    path&.start_with?(LIBRARY) && !source(path)[line - 1].include?(":nodoc:")
  end

  def source(path) = (@sources ||= {})[path] ||= File.readlines(path, encoding: "UTF-8")
end
