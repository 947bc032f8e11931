# frozen_string_literal: true

require "bundler"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "../../bench/support/servers/postgres_binaries"
require_relative "private_servers"

module Trunkline
  # An application from Hanami's generator, with the line that makes postgres:// mean this library, and the files of test/hosts/web/hanami. The gems
  # are those of this project's Gemfile. The folder is removed with the process.
  class HanamiApplication
    FILES = File.expand_path("../hosts/web/hanami", __dir__)
    GENERATE = %w[new bookshelf --database=postgres --skip-install --skip-assets --skip-view --skip-mailer --test=minitest].freeze
    LINE = 'require "trunkline/sequel/postgres"'
    private_constant :FILES, :GENERATE, :LINE

    # @return [String]
    attr_reader :folder

    # @param database [String] a name
    def initialize(database)
      @database = database
      scratch = Dir.mktmpdir("trunkline-hanami")
      owner = Process.pid
      at_exit { FileUtils.rm_rf(scratch) if owner == Process.pid }
      @folder = File.join(scratch, "bookshelf")
      run(scratch, *GENERATE)
      FileUtils.cp_r("#{FILES}/.", @folder)
      insert_line
    end

    # @return [Hash{String => String, nil}] the application's variables
    def environment
      folder = File.dirname(Bench::PostgresBinaries.path("psql"))
      { "DATABASE_URL" => PrivateServers.postgres.tcp_uri(dbname: @database).sub("postgresql:", "postgres:"), "HANAMI_ENV" => "production", "HANAMI_MAX_THREADS" => "12",
        "PATH" => "#{folder}:#{ENV.fetch("PATH")}", "BUNDLE_GEMFILE" => Bundler.default_gemfile.to_s }
    end

    # Runs a command of Hanami's.
    #
    # @param arguments [Array<String>] the words after `hanami`
    # @param more [Hash{String => String}] of the environment
    # @return [String] what it has printed
    # @raise [RuntimeError] with the same: it has failed
    def hanami(*arguments, **more) = run(@folder, *arguments, **more)

    # @return [String] the contents of a file
    def read(path) = File.read(File.join(@folder, path), encoding: "UTF-8")

    private

    def run(folder, *arguments, **more)
      program = Gem.bin_path("hanami-cli", "hanami")
      output, status = Open3.capture2e({ **environment, **more }, RbConfig.ruby, "-W0", "-rbundler/setup", program, *arguments, chdir: folder)
      status.success? ? output : raise("hanami #{arguments.join(" ")} failed:\n#{output}")
    end

    def insert_line
      file = File.join(@folder, "config/app.rb")
      File.write(file, File.read(file).sub(/^require "hanami"$/) { |line| "#{line}\n#{LINE}" })
    end
  end
end
