# frozen_string_literal: true

# The actions of the tables in Rage's README, and one that waits for the database.
class AccountsController < RageController::API
  UPSTREAM = URI(ENV.fetch("UPSTREAM"))
  ACCOUNTS = 10_000
  private_constant :UPSTREAM, :ACCOUNTS

  def json = render(json: { hello: "there" })
  def find = render(json: account)
  def sleep = render(json: Account.connection_pool.with_connection { |connection| connection.select_value("SELECT 1 FROM pg_sleep(0.01)") })
  def slow = render(json: [account.id, Net::HTTP.get(UPSTREAM), account.id].size)

  private

  def account = Account.find(rand(1..ACCOUNTS))
end
