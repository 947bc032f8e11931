# frozen_string_literal: true

# A page of twenty sources, each of which asks by ActiveRecord, over the adapter that ADAPTER names and with the dataloader that DATALOADER names.
#
#   /find      each finds a record by its primary key
#   /wait      each has the database wait for 20 ms
#   /report    each finds a record in a transaction, and has the connection until the page is there

require "active_record"
require "async"
require "graphql"
require "trunkline"

ActiveSupport::IsolatedExecutionState.isolation_level = ENV.fetch("ISOLATION").to_sym
ActiveRecord::Base.establish_connection(
  adapter: ENV.fetch("ADAPTER"), host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT"), username: ENV.fetch("PGUSER"), database: ENV.fetch("PGDATABASE"),
  pool: Integer(ENV.fetch("POOL"))
)

class Account < ActiveRecord::Base
end

# What each of the twenty asks: a source by its number and what it does.
class Balances < GraphQL::Dataloader::Source
  WAYS = {
    "find" => ->(ids) { Account.where(id: ids).index_by(&:id) },
    "wait" => ->(ids) { Account.where(id: ids).select("accounts.*, pg_sleep(0.02)::text AS slept").index_by(&:id) },
    "report" => ->(ids) { Account.lease_connection && Account.transaction { Account.where(id: ids).index_by(&:id) } }
  }.freeze

  def initialize(way, number)
    super()
    @way = WAYS.fetch(way)
    @number = number
  end

  def fetch(ids)
    found = @way.call(ids)
    ids.map { |id| found.fetch(id).balance.to_s }
  end
end

class Query < GraphQL::Schema::Object
  field :balance, String, null: false do
    argument :of, Int
  end

  def balance(of:) = dataloader.with(Balances, context[:way], of).load(of)
end

class Schema < GraphQL::Schema
  query Query
  use ENV["DATALOADER"] == "async" ? GraphQL::Dataloader::AsyncDataloader : GraphQL::Dataloader
end

PAGE = "{ #{Array.new(20) { |number| "n#{number}: balance(of: #{1 + (number * 477)})" }.join(" ")} }".freeze

run(lambda do |env|
  body = Schema.execute(PAGE, context: { way: env["PATH_INFO"].delete_prefix("/") }).to_h.to_json
  [200, { "content-type" => "application/json", "content-length" => body.bytesize.to_s }, [body]]
ensure
  ActiveRecord::Base.connection_handler.clear_active_connections!(:all)
end)
