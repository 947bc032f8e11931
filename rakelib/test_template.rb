# frozen_string_literal: true

require_relative "../bench/support/servers/postgres_server"
require_relative "short_exit"

# The data folder that the servers of a test run are copies of.
module TestTemplate
  NAME = Trunkline::Bench::PostgresServer::TEMPLATE
  # Compiling a query takes longer than the few rows of a test; the tests that are about it turn it on. No test has a subscription: its launcher would
  # be one process more at each start. In memory, a file of zeros need not be written before its log.
  SETTINGS = { "jit" => "off", "max_logical_replication_workers" => "0", "wal_init_zero" => "off" }.freeze
  # Segments of 1 MB in place of 16: a folder has 28 MB in place of 39, and its copy takes 0.13 s of a processor in place of 0.23.
  OPTIONS = ["--wal-segsize=1"].freeze
  private_constant :SETTINGS, :OPTIONS

  module_function

  # Names it in the environment, where the servers of this process and of its children look for it. It is gone with this process.
  def use = ENV[NAME] = make

  # Makes one that stays.
  # @param folder [String] in a folder of the servers' account; what was there is replaced
  def keep(folder)
    keeper = Trunkline::Bench::Keeper.instance
    [["rm", "-rf", folder], ["cp", "-R", make, folder]].each { |command| keeper.run(*command, log: File.join(keeper.folder, "template.log")) }
  end

  def make
    server = Trunkline::Bench::PostgresServer
    server.template(settings: SETTINGS, options: OPTIONS).tap { |folder| ShortExit.build(File.join(folder, server::PRELOADED)) }
  end
  private_class_method :make
end
