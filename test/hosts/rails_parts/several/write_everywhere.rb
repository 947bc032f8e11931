# frozen_string_literal: true

# Each of 20 threads writes ten rooms into the shard of its number, the last of which is rolled back, and names all ten in the archive. Prints which database has which
# rooms, and how many of these belong elsewhere.

[Room, ArchivedRoom].each(&:new) # with the types of one shard: ActiveRecord 7.2 finds no enum whose column two threads read in two shards
threads = Array.new(20) do |number|
  Thread.new do
    Rails.application.executor.wrap do
      ApplicationRecord.connected_to(shard: number.even? ? :default : :two, role: :writing) do
        10.times do |row|
          Room.transaction do
            ArchivedRoom.create!(name: Room.create!(name: "#{number} #{row}").name)
            raise ActiveRecord::Rollback if row == 9
          end
        end
      end
    end
  end
end
threads.each(&:join)

found = { default: 0, two: 1 }.map do |shard, odd|
  ApplicationRecord.connected_to(shard: shard, role: :writing) do
    names = Room.pluck(:name)
    [Room.lease_connection.current_database.delete_prefix(ENV.fetch("DATABASE")), names.size, names.count { |name| name.to_i % 2 != odd }]
  end
end
archive = [ArchivedRoom.lease_connection.current_database.delete_prefix(ENV.fetch("DATABASE")), ArchivedRoom.distinct.count(:name), 0]
puts "found #{[*found, archive].to_json}"
