# frozen_string_literal: true

require "test_helper"
require "async"
require "graphql"
require "support/active_record_host"

# graphql-ruby's AsyncDataloader over ActiveRecord: each source asks in a fiber of its own.
class GraphQLTest < Trunkline::TestCase
  include Trunkline::ActiveRecordHost

  SOURCES = 20
  PAGES = 5
  MOST = 8 # connections of the server's
  private_constant :SOURCES, :PAGES, :MOST

  # Asks for one number, so that no two fields share a query.
  class Squares < GraphQL::Dataloader::Source
    def initialize(model, number)
      super()
      @model = model
      @number = number
    end

    def fetch(keys)
      raise ArgumentError, "no square of #{@number}" if @number.negative?

      sum = @model.connection_pool.with_connection { |connection| connection.select_value("SELECT #{@number} * #{@number} FROM pg_sleep(0.005)") }
      keys.map { sum }
    end
  end

  # Of the numbers that the page asks for.
  class Query < GraphQL::Schema::Object
    field :square, Int, null: false do
      argument :of, Int
    end

    def square(of:) = dataloader.with(Squares, context[:model], of).load(:value)
  end

  # The sources in turn.
  class Plain < GraphQL::Schema
    query Query
    use GraphQL::Dataloader
  end

  # The sources at once.
  class Concurrent < GraphQL::Schema
    query Query
    use GraphQL::Dataloader::AsyncDataloader
  end

  def test_pages_of_many_sources_at_once
    connect(server_connections: 4, max_server_connections: MOST, checkout_timeout: 60)
    connect_stock
    expected = Plain.execute(page, context: { model: Stock }).to_h
    in_fibers do |task|
      answers = Array.new(PAGES) { task.async { Concurrent.execute(page, context: { model: Ours }).to_h } }.map(&:wait)
      assert_equal [expected], answers.uniq
      assert_operator connections, :<=, MOST
    end
    assert_equal SOURCES, expected["data"].size
  end

  # An error in one source is its page's alone.
  def test_a_source_that_fails_beside_another_page
    connect(checkout_timeout: 60)
    in_fibers do |task|
      failing = task.async { assert_raises(ArgumentError) { Concurrent.execute(page(-1), context: { model: Ours }) } }
      whole = task.async { Concurrent.execute(page, context: { model: Ours }).to_h["data"] }
      assert_match(/no square of -1/, failing.wait.message)
      assert_equal SOURCES.times.to_h { |number| ["n#{number}", number * number] }, whole.wait
      assert_equal 4, Ours.connection.select_value("SELECT 4")
    end
  end

  # Without an event loop around it, each page begins one, in a thread that is like any other of Puma's.
  def test_pages_in_threads
    connect(checkout_timeout: 60)
    ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
    pages = Array.new(PAGES) { Thread.new { Concurrent.execute(page, context: { model: Ours }).to_h["data"]["n7"] } }
    assert_equal [49] * PAGES, pages.map(&:value)
  end

  private

  def page(first = 0)
    "{ #{SOURCES.times.map { |number| "n#{number}: square(of: #{number.zero? ? first : number})" }.join(" ")} }"
  end
end
