# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs kinds of load one after the other, each in a separate process, and finds those whose memory grows.
class Soaking
  ROOT = File.expand_path("..", __dir__)
  RUBY = [RbConfig.ruby, "-w", "-rbundler/setup", "-Ilib"].freeze
  # Seconds beyond its duration after which a kind counts as hung.
  PATIENCE = 120
  private_constant :ROOT, :RUBY, :PATIENCE

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
  def run(kind, seconds)
    command = ["timeout", (seconds + PATIENCE).to_s, *RUBY, "test/soak/run.rb", *@servers, kind, seconds.to_s]
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, *command, chdir: ROOT)
    [status.success?, status.exitstatus == 124 ? "#{output}It hangs." : output]
  end
end
