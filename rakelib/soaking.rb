# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs kinds of load and finds those whose memory grows.
class Soaking
  ROOT = File.expand_path("..", __dir__)
  RUBY = [RbConfig.ruby, "-w", "-rbundler/setup", "-Ilib"].freeze
  private_constant :ROOT, :RUBY

  # @return [Array<String>] the names of all kinds
  def self.kinds
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, *RUBY, "-r./test/soak/load", "-e", "puts Soak::KINDS.keys", chdir: ROOT)
    status.success? ? output.split : raise(output)
  end

  # @param uri [String] of a PostgreSQL server
  # @param memcached [String] of a memcached server
  def initialize(uri, memcached)
    @servers = [uri, memcached]
  end

  # @param kind [String]
  # @param seconds [Numeric]
  # @return [Array(Boolean, String)] whether nothing grows, and what was seen
  def run(kind, seconds) = run_each([kind], seconds).first

  # The same of several, one after the other, which is faster.
  #
  # @return [Array<Array(Boolean, String)>]
  def run_each(kinds, seconds)
    output, status = Open3.capture2({ "RUBYOPT" => nil }, *RUBY, "test/soak/run.rb", *@servers, seconds.to_s, *kinds, binmode: true, chdir: ROOT)
    status.success? ? Marshal.load(output) : raise("#{kinds.join(" ")}: #{status}")
  end
end
