# frozen_string_literal: true

require "delegate"
require "suites"
require "support/children"
require "support/history/run"
require "support/tls_servers"

# Clients whose connections are encrypted.
module EncryptedClients
  def postgres_server = Trunkline::TLSServers.postgres

  def with_client(**options, &block)
    Trunkline.postgres(nil, host: "localhost", port: postgres_server.port, user: "postgres", dbname: "postgres", sslmode: "verify-full",
                            sslrootcert: Trunkline::TLSAuthority.shared.root, **options, &block)
  end
end

# Where C cannot take sessions over, Ruby's openssl reads and writes.
module EncryptedByRuby
  def run = Trunkline::Socket::TLS::Libssl.stub(:obstacle, "a test wants it so") { super }
end

# What the suites ask of every host, over encrypted connections.
module Encrypted
  include DatabaseHelpers
  include Shared::Concurrency
  include EncryptedClients

  # The request to cancel travels over TLS too.
  def test_a_cancelled_query_and_its_neighbours
    in_host_with_client(connections: 1) do |db|
      future = db.async(Gated::ENDLESS)
      behind = Array.new(5) { |number| db.async("SELECT $1::int", number) }
      assert_equal [true, [*0...5]], [future.cancel, behind.map { |one| one.value.value }]
      assert_raises(Trunkline::Cancelled) { future.value }
      assert_raises(Trunkline::Deadline) { db.query(Gated::ENDLESS, deadline: 0.1) }
      assert_equal 1, db.value("SELECT 1")
    end
  end

  # Rows of every size around those of TLS's records and of the buffers, in both directions, many at once.
  def test_values_of_every_size
    sizes = [0, 1, 8_000, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000, 3_000_000]
    in_host_with_client(connections: 2) do |db|
      answers = side_by_side(sizes.shuffle(random: Random.new(Minitest.seed))) do |size|
        text = size.to_s.ljust(size, "x")
        [text, db.value("SELECT $1::text || ''", text)]
      end
      answers.each { |sent, received| assert_equal sent, received }
    end
  end
end

class EncryptedThreadsTest < Trunkline::TestCase
  include Hosts::Threads
  include Encrypted
end

class EncryptedUnderAsyncTest < Trunkline::TestCase
  include Hosts::Async
  include Encrypted
  include Shared::Querying
end

class EncryptedUnderReferenceSchedulerTest < Trunkline::TestCase
  include Hosts::Reference
  include Encrypted
end

class EncryptedUnderHostileSchedulerTest < Trunkline::TestCase
  include Hosts::Hostile
  include Encrypted

  def hostility = { seed: Minitest.seed, inline: true, spurious: 0.2, reorder: true }
end

class EncryptedByRubyThreadsTest < Trunkline::TestCase
  include Hosts::Threads
  include Encrypted
  include EncryptedByRuby
end

# A child of a process that has encrypted connections.
class EncryptedForkTest < Trunkline::TestCase
  include Children
  include EncryptedClients

  def test_a_child_leaves_its_parents_connections_alone
    with_client(connections: 1) do |db|
      mine = backend(db)
      child = in_child { [backend(db), GC.start, db.close] }
      refute_equal mine, child.first
      assert_equal mine, backend(db)
    end
  end

  def test_a_child_that_only_closes
    with_client(connections: 1) do |db|
      mine = backend(db)
      in_child { db.close }
      assert_equal mine, backend(db)
    end
  end

  private

  def backend(db) = db.value("SELECT pg_backend_pid()")
end

# Everything at once over encrypted connections: interruptions, backends that are ended, forks.
class EncryptedHistoryTest < Trunkline::TestCase
  include EncryptedClients

  FAULTS = { terminate: 100, fork: 300 }.freeze
  private_constant :FAULTS

  # The server as a run asks for it.
  class Encrypting < SimpleDelegator
    def uri(user:) = "#{tcp_uri(user: user)}?sslmode=verify-full&sslrootcert=#{Trunkline::TLSAuthority.shared.root}"
  end

  %i[threads async hostile mixed].each do |environment|
    define_method(:"test_#{environment}") do
      run = History::Run.new(Encrypting.new(postgres_server), environment: environment, seed: Minitest.seed, answers: 600, interruptions: 60,
                                                              troubles: nil, faults: FAULTS)
      assert_empty run.call.report
    end
  end
end
