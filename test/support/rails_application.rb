# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require_relative "memcached_servers"
require_relative "private_servers"

module Trunkline
  # The application of test/hosts/rails, with its own folder and databases. The folder is removed with the servers.
  class RailsApplication
    SOURCE = File.expand_path("../hosts/rails", __dir__)
    PARTS = "#{SOURCE}_parts".freeze
    DATABASE = "chat"
    private_constant :SOURCE, :PARTS

    @lock = Mutex.new

    class << self
      # @return [RailsApplication] the one that all tests share, whose database for production is there and migrated
      def instance = @lock.synchronize { @instance ||= new.tap { |application| application.rails("db:create", "db:migrate", "db:seed", "RAILS_ENV" => "production") } }
    end

    # @return [String]
    attr_reader :folder

    # @param parts [Array<String>] see {#add}
    def initialize(*parts)
      @folder = Dir.mktmpdir("trunkline-rails")
      owner = Process.pid
      at_exit { FileUtils.rm_rf(@folder) if owner == Process.pid }
      FileUtils.cp_r("#{SOURCE}/.", @folder)
      parts.each { |part| add(part) }
    end

    # @param part [String] a folder of test/hosts/rails_parts, whose files are added to the application's, or take their places
    def add(part) = FileUtils.cp_r("#{PARTS}/#{part}/.", @folder)

    # @return [Hash{String => String, nil}] the application's variables
    def environment
      server = PrivateServers.postgres
      { "PGHOST" => server.socket_directory, "PGPORT" => server.port.to_s, "PGUSER" => "postgres", "DATABASE" => DATABASE,
        "MEMCACHED" => MemcachedServers.server.address, "CACHE_NAMESPACE" => "chat", "CONSOLE_LEVEL" => "fatal", "MT_NO_PLUGINS" => nil }
    end

    # Runs commands of Rails'.
    #
    # @param arguments [Array<String>] the words after `rails`
    # @param more [Hash{String => String}] of the environment
    # @return [String] what they have printed
    # @raise [RuntimeError] with the same: they have failed
    def rails(*arguments, **more)
      output, status = Open3.capture2e({ **environment, **more }, RbConfig.ruby, "bin/rails", *arguments, chdir: @folder)
      status.success? ? output : raise("rails #{arguments.join(" ")} failed:\n#{output}")
    end

    # @return [String] the contents of a file
    def read(path) = File.read(File.join(@folder, path), encoding: "UTF-8")
  end
end
