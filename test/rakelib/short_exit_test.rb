# frozen_string_literal: true

require "test_helper"
require "support/eventually"
require "tmpdir"
require_relative "../../rakelib/short_exit"
require_relative "../../bench/support/servers/postgres_server"

# The library with which the private servers' processes end.
class ShortExitTest < Trunkline::TestCase
  include Eventually

  LIBRARY = Trunkline::Bench::PostgresServer::PRELOADED
  BACKENDS = 20
  LONG_OUTPUT = 100_000 # lines, more than a program writes before it exits
  private_constant :LIBRARY, :BACKENDS, :LONG_OUTPUT

  def test_a_backend_ends_with_fewer_page_faults
    with_server do |server|
      faults = [false, true].map { |built| restarted(server, built) { page_faults(server) } }
      assert_operator faults.last, :<, faults.first * 0.9
    end
  end

  # Nor may a server take one that ended so for one that crashed: it would end all others.
  def test_programs_of_the_servers_end_with_their_output
    with_server do |server|
      restarted(server, true) do
        server.psql("CREATE TABLE lines (line text); COPY lines FROM PROGRAM 'seq #{LONG_OUTPUT}'")
        assert_equal LONG_OUTPUT.to_s, server.psql("SELECT count(*) FROM lines").chomp
        refute_match(/terminated|preload/, File.read(File.join(server.socket_directory, "log")))
      end
    end
  end

  def test_there_is_none_without_a_compiler
    Dir.mktmpdir do |folder|
      path = File.join(folder, LIBRARY)
      refute ShortExit.build(path, compiler: "/there/is/no/compiler")
      refute ShortExit.build(path, compiler: "false")
      assert_empty Dir.children(folder)
    end
  end

  def test_there_is_none_that_the_system_does_not_load
    Dir.mktmpdir do |folder|
      compiler = File.join(folder, "compiler")
      File.write(compiler, "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho no library >\"$1\"\n", perm: 0o755)
      refute ShortExit.build(File.join(folder, LIBRARY), compiler: compiler)
      assert_equal ["compiler"], Dir.children(folder)
    end
  end

  private

  def library(server) = File.join(server.socket_directory, LIBRARY)

  def restarted(server, built)
    server.stop
    FileUtils.rm_f(library(server))
    skip "the system loads no library from #{server.socket_directory}" if built && !ShortExit.build(library(server))
    server.start
    assert_equal built, File.read("/proc/#{server.pid}/maps").include?(LIBRARY)
    yield
  end

  # @return [Integer] of so many backends, from their start to their end
  def page_faults(server)
    processes = children(server)
    before = faults_of_children(server)
    BACKENDS.times { server.psql("SELECT 1") }
    assert_equal processes, eventually { children(server).then { |now| now if now == processes } }
    faults_of_children(server) - before
  end

  def children(server) = File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.sort

  # @return [Integer] of the processes of the server that have ended
  def faults_of_children(server) = Integer(File.read("/proc/#{server.pid}/stat").rpartition(") ").last.split[8])
end
