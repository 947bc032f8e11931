# frozen_string_literal: true

# A table of numbers, to see what was committed. The test includes a host and DatabaseHelpers.
module Numbers
  # @yieldparam db [Trunkline::Postgres::Client]
  # @yieldparam table [String] its name; the column is "number"
  def with_numbers(connections: 1, max_connections: 2, &block)
    with_table("number int") { |table| in_host_with_client(connections: connections, max_connections: max_connections) { |db| block.call(db, table) } }
  end

  def add(client, table, number) = client.query("INSERT INTO #{table} VALUES ($1)", number)

  def numbers(db, table) = db.query("SELECT number FROM #{table} ORDER BY number").rows.flatten
end
