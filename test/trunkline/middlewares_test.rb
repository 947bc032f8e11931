# frozen_string_literal: true

require "test_helper"

# What goes around the calls of a client, by itself.
class MiddlewaresTest < Trunkline::TestCase
  def test_without_any_the_call_is_all_there_is
    assert_equal %i[a b c d e f g], plain_calls(Trunkline::Middlewares.new)
  end

  def test_the_last_one_given_is_the_outermost
    inner = Module.new { def query(...) = [:inner, *super] }
    outer = Module.new { def query(...) = [:outer, *super] }
    assert_equal %i[outer inner call], Trunkline::Middlewares.new.within(inner).within(outer).query("", [], "") { [:call] }
  end

  def test_what_one_does_not_mention_is_passed_on
    assert_equal %i[a b c d e f g], plain_calls(Trunkline::Middlewares.new.within(Module.new))
  end

  def test_one_is_not_added_to_those_of_others
    before = Trunkline::Middlewares.new
    after = before.within(Module.new { def connect(_server) = [super] })
    assert_equal [:call, [:call]], [before, after].map { |middlewares| middlewares.connect("") { :call } }
  end

  def test_what_is_no_module_is_refused
    [Class.new, Object.new, nil, :name].each do |nonsense|
      error = assert_raises(TypeError) { Trunkline::Middlewares.new.within(nonsense) }
      assert_match(/\Aa middleware is a Module, not /, error.message)
    end
  end

  def test_methods_that_would_go_around_nothing_are_refused_by_name
    { Module.new { def querry(*) = super } => /\Aquerry of the middleware .* wraps no call, did you mean query\?/,
      Module.new { def log(line) = line } => /\Alog of the middleware .* must be private\z/,
      Module.new { def query(_sql) = super } => /\Aquery of the middleware .* must take 3 arguments/,
      Module.new { def batch(_queries, _server, _more) = super } => /\Abatch of the middleware .* must take 2 arguments/,
      Module.new { def transaction(_options, _server, name:) = super } => /\Atransaction .* must take 2 arguments/ }.each do |middleware, told|
      assert_match told, assert_raises(ArgumentError) { Trunkline::Middlewares.new.within(middleware) }.message
    end
  end

  def test_methods_of_its_own_are_private
    [Module.new { def query(*) = super }, Module.new { def query(...) = super }, Module.new { def query(_sql, _parameters, _server, _more = nil) = super },
     Module.new { private def log(line) = line }, Module.new { def inspect = "Mine" }].each { |middleware| Trunkline::Middlewares.new.within(middleware) }
  end

  def test_clients_refuse_it_too
    assert_raises(TypeError) { Trunkline.postgres("host=localhost", middlewares: [String]) }
    assert_raises(TypeError) { Trunkline.memcached("localhost", middlewares: [nil]) }
  end

  private

  def plain_calls(middlewares)
    [
      middlewares.connect("server") { :a }, middlewares.query("SELECT 1", [], "server") { :b },
      middlewares.async("SELECT 1", [], "server") { :c }, middlewares.transaction({}, "server") { :d },
      middlewares.command("mg", ["key"], "server") { :e }, middlewares.batch([], "server") { :f }, middlewares.switch("one", "other", "server") { :g }
    ]
  end
end
