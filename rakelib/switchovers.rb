# frozen_string_literal: true

require_relative "../bench/support/isolated"
require_relative "../bench/support/measure"
require_relative "../bench/support/servers/patroni_cluster"

# Repeated switchovers of Patroni's leader, under writers that wait for the next one. Beside them a separate client logs in and writes: the time that
# this client takes is the servers' or the machine's, and the rest of the writers' time is the library's.
class Switchovers
  WRITERS = 20
  ENOUGH = 100 # writes before and after
  LATE = 1.0   # seconds that the last writer may need beyond a client that logs in, and the logins of all writers
  NAP = 0.05   # seconds that a thread sleeps, to measure how late an overloaded machine wakes it
  Switchover = Struct.new(:most, :last, :login, :nap, :errors, :lost, :doubled) do
    # Each writer's transaction has its own connection, and so a login. This is an allowance, not a measurement: ten switchovers at load 26 to 33 had
    # two above a single login's, and none above this.
    #
    # @return [Boolean] whether writers continued late, and the machine was not that late itself
    def outlier? = last > LATE + (WRITERS * login) + nap

    def wrong? = [errors, lost, doubled].any?(&:positive?)

    def to_s
      format("writers went on %<most>d ms (95 %%), %<last>d ms (last) after another client's login, which took %<login>d ms; a thread woke up %<nap>d ms late; " \
             "errors %<errors>d, lost %<lost>d, doubled %<doubled>d%<verdict>s",
             most: most * 1000, last: last * 1000, login: login * 1000, nap: nap * 1000, errors: errors, lost: lost, doubled: doubled, verdict: (": late" if outlier?))
    end
  end
  private_constant :WRITERS, :ENOUGH, :LATE, :NAP, :Switchover

  # @param synchronous [Boolean]
  # @param count [Integer]
  # @yieldparam switchover [Switchover] each one
  # @return [Array<Switchover>]
  def run(count, synchronous: false)
    Trunkline::Bench::PatroniCluster.open(synchronous: synchronous) do |cluster|
      Array.new(count) { one(cluster).tap { |switchover| yield switchover } }
    end
  end

  private

  def one(cluster)
    leader = cluster.leader
    leader.psql("DROP TABLE IF EXISTS tokens; CREATE TABLE tokens (token text)")
    cluster.await_members
    writers = peer("failover_writes", side: "trunkline", hosts: cluster.hosts, table: "tokens", writers: WRITERS)
    probe = peer("login_probe", uris: (cluster.nodes - [leader]).map(&:uri))
    probe.call(:ready)
    await_more(writers, 0)
    hand_over(cluster, writers, probe)
  ensure
    [writers, probe].compact.each(&:close)
  end

  def peer(...) = Trunkline::Bench::Isolated.new(...)

  def hand_over(cluster, writers, probe)
    found = Thread.new { probe.call(:await) }
    latest = 0
    watch = Thread.new { loop { latest = [latest, late].max } }
    cluster.switchover
    login = found.value
    await_more(writers, writers.call(:count))
    watch.kill.join
    cluster.await_members
    figures = writers.call(:finish, uri: login[:uri], promoted_at: login[:at])
    Switchover.new(*figures.values_at(:resumed, :last), login[:took], latest, *figures.values_at(:errors, :lost, :doubled))
  end

  # @return [Float] seconds that a sleep took longer than it should
  def late
    start = Trunkline::Bench::Measure.now
    sleep NAP
    Trunkline::Bench::Measure.now - start - NAP
  end

  def await_more(writers, since)
    sleep NAP until writers.call(:count) >= since + ENOUGH
  end
end
