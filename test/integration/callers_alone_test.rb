# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/memcached_servers"

# There are no threads and fibers but the callers' own: what the library does for them, it does there. Only an attempt to connect is a fiber
# that its caller resumes, for as long as the attempt takes.
class CallersAloneTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  ROOT = File.expand_path("../..", __dir__)
  ATTEMPTS = File.join(ROOT, "lib/trunkline/socket/resumable.rb")
  private_constant :ROOT, :ATTEMPTS

  def test_threads = assert_made_elsewhere("threads")
  def test_fibers = assert_made_elsewhere("fibers")

  private

  # In a process of its own, as what other tests have left is tidied up at any time.
  def assert_made_elsewhere(kind)
    with_memcached do |memcached|
      output, status = Open3.capture2e(RbConfig.ruby, "-Ilib", "test/support/callers_alone.rb", postgres_server.uri, memcached.address, kind, chdir: ROOT)
      assert_predicate status, :success?, output
      ours, others = output.lines(chomp: true).partition { |path| path.start_with?(File.join(ROOT, "lib/")) }
      assert_equal [ATTEMPTS], ours.uniq
      assert_operator others.size, :>=, 8, output # the callers themselves
    end
  end
end
