# frozen_string_literal: true

module Soak
  uses = {
    clients_that_are_closed: ->(db) { [db.value("SELECT 1"), db.transaction { |tx| tx.value("SELECT 1") }, db.session { |one| one.query("SET work_mem = '9MB'") }] },
    clients_with_futures: ->(db) { db.async("SELECT 1") },
    clients_in_use: ->(db) { [db.async("SELECT 1"), db.async("SELECT 1").value, db.listen("soak")] }
  }
  uses.each do |name, use|
    kind(name) do |load|
      ->(count) { count.times { load.client(connections: 1, max_connections: 4).tap(&use).close } }
    end
  end

  kind(:dropped_clients) do |load|
    lambda do |count|
      count.times { uses.each_value { |use| use.call(load.client(connections: 1, max_connections: 4)) } }
      GC.start
    end
  end

  kind(:refused_clients) do |load|
    uri = load.uri.sub(/[^\/?]*(?=\?|\z)/, "soak_no_database")
    ->(count) { count.times { load.failing(Trunkline::Error) { Trunkline.postgres(uri, max_wait: 1) { |db| db.value("SELECT 1") } } } }
  end
end
