# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/pgbouncer"

module Hosts
  # ActiveRecord's adapter behind a pooler.
  class PooledActiveRecordTest < Trunkline::TestCase
    include Trunkline::ActiveRecordHost

    # PgBouncer in transaction mode gives each transaction another server session, of which there are two here.
    def test_a_pooler_in_between
      PgBouncer.open(postgres_server, pool: 2) do |pooler|
        uri = URI(pooler.uri)
        connect(host: uri.host, port: uri.port, prepared_statements: false)
        with_model("name text") do |model|
          written = Array.new(10) do |number|
            Thread.new do
              model.transaction { model.create!(name: "n#{number}") && model.create!(name: "m#{number}") }
              [number, model.where(name: ["n#{number}", "m#{number}"]).order(:name).pluck(:name)]
            ensure
              Ours.connection_pool.release_connection
            end
          end.map(&:value)
          assert_equal Array.new(10) { |number| [number, ["m#{number}", "n#{number}"]] }, written
          assert_raises(::ActiveRecord::RecordNotUnique) { model.create!(id: model.first.id) }
          assert_equal [20, 90], [model.count, ours.select_value("SELECT '1 min 30 s'::interval").then { |text| ActiveSupport::Duration.parse(text).to_i }]
        end
      end
    end
  end
end
