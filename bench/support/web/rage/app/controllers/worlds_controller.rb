# frozen_string_literal: true

# The actions of the tables in Rage's README, and one that waits for the database.
class WorldsController < RageController::API
  UPSTREAM = URI(ENV.fetch("UPSTREAM"))
  WORLDS = 10_000
  private_constant :UPSTREAM, :WORLDS

  def json = render(json: { hello: "world" })
  def find = render(json: world)
  def sleep = render(json: World.connection_pool.with_connection { |connection| connection.select_value("SELECT 1 FROM pg_sleep(0.01)") })
  def slow = render(json: [world.id, Net::HTTP.get(UPSTREAM), world.id].size)

  private

  def world = World.find(rand(1..WORLDS))
end
