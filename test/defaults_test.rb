# frozen_string_literal: true

require "test_helper"

# The guides tell the defaults of options as the code has them.
class DefaultsTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  UNITS = { "s" => 1, "MiB" => 1024 * 1024 }.freeze
  private_constant :ROOT, :UNITS

  def test_each_limit_and_its_default
    told = guide("running-it").scan(/^\| `(\w+)` \| ([\d,]+)(?: (s|MiB))? \|/).to_h { |name, number, unit| [name.to_sym, number.delete(",").to_i * UNITS.fetch(unit, 1)] }
    assert_equal 16, told.delete(:max_connections)
    assert_equal Trunkline::Limits::DEFAULTS.sort, told.sort
  end

  def test_connections_that_a_client_has_by_default
    assert_equal 4, constant(Trunkline::Postgres, :Budget, :SHARED)
    assert_match(/\bmax_connections: 16,/, source("postgres/client.rb")[/def initialize\(.*/])
    assert_match(/^\| `connections` \| 4, or `max_connections` if less \|.*\n\| `max_connections` \| 16 \|/, guide("running-it"))
  end

  def test_times_of_a_connection
    assert_equal [30, 10, 3, 60_000], constant(Trunkline::Socket, :Keepalive, :DEFAULTS).values_at(:TCP_KEEPIDLE, :TCP_KEEPINTVL, :TCP_KEEPCNT, :TCP_USER_TIMEOUT)
    assert_match(/three probes, ten seconds apart, after 30\s+seconds of silence\. Data that is not acknowledged for 60 seconds/, guide("connecting"))
    assert_equal 10.0, Trunkline::Config.new("", env: {}).connect_timeout
    assert_match(/`connect_timeout`, 10 s by default/, guide("connecting"))
  end

  def test_options_of_memcached
    assert_equal 128 * 1024 * 1024, constant(Trunkline::Memcached, :Values, :MAX_VALUE)
    assert_match(/longer than `max_value:` \(128 MiB, up to 1 GiB\)/, guide("memcached"))
    defaults = source("memcached/client.rb")[/def begin_with\(.*?\)\n/m]
    { "timeout" => 1, "down_retry_delay" => 30, "connections" => 1, "failover" => true }.each { |name, value| assert_match(/\b#{name}: #{value}\b/, defaults) }
    assert_match(/Its default is 1 second\./, guide("memcached"))
    assert_match(/up to `down_retry_delay:` \(30\)/, guide("memcached"))
  end

  private

  # Of private ones, too.
  def constant(space, *names) = names.inject(space) { |found, name| found.const_get(name) }

  def source(path) = File.read(File.join(ROOT, "lib/trunkline", path), encoding: "UTF-8")

  def guide(name) = File.read(File.join(ROOT, "guides/#{name}.md"), encoding: "UTF-8")
end
