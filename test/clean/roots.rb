# frozen_string_literal: true

# The gem as strangers get it: `rake clean_install` runs this as root, with Debian roots that are made on first use.

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"
require "support/app"
require_relative "../../rakelib/ruby_root"

module Trunkline
  class CleanRootsTest < TestCase
    ROOT = File.expand_path("../..", __dir__)
    PROGRAM = File.read(File.join(ROOT, "README.md"), encoding: "UTF-8")[/^```ruby\n(.*?)^```/m, 1]
    # Where the gem and the program lie, inside.
    FOLDER = "/srv/clean-install"
    # All that is needed to install a gem that has C in it.
    PACKAGES = %w[ruby ruby-dev make gcc libc6-dev].freeze
    private_constant :ROOT, :PROGRAM, :FOLDER, :PACKAGES

    def test_debian_12
      root = DebianRoot.new("bookworm").tap(&:make)
      root.install(*PACKAGES)
      assert_equal "Barbara\n", first_program(root.path, ->(folder) { root.command(FOLDER, shared: [folder]) })
      assert_empty Dir[File.join(root.path, "usr/lib/*/libpq.so*")]
    end

    RubyRoot::VERSIONS.each do |version|
      define_method(:"test_ruby_#{version.tr(".", "_")}") do
        root = RubyRoot.new(version).tap(&:make)
        assert_equal "Barbara\n", first_program(root.path, ->(folder) { [*root.command(shared: [folder]), "env", "-C", FOLDER] })
      end
    end

    private

    # @param inside [#call] what goes before a command that sees the folder of the server's socket
    # @return [String] what the program says
    def first_program(path, inside)
      App.open(postgres_server) do |_db, uri|
        bring(File.join(path, FOLDER), PROGRAM.gsub("postgres:///app", uri))
        enter = [*inside.call(postgres_server.socket_directory), "env", "GEM_HOME=#{FOLDER}/gems"]
        refute_match(/warning/i, run_command(*enter, "gem", "install", "--local", "--no-document", "trunkline.gem"))
        run_command(*enter, "ruby", "-w", "first_program.rb")
      end
    ensure
      FileUtils.rm_rf(File.join(path, FOLDER))
    end

    def bring(folder, program)
      FileUtils.mkdir_p(folder)
      run_command(RbConfig.ruby, "-S", "gem", "build", "--output", File.join(folder, "trunkline.gem"), "trunkline.gemspec")
      File.write(File.join(folder, "first_program.rb"), program)
    end

    def run_command(*command)
      output, status = Bundler.with_unbundled_env { Open3.capture2e(*command, chdir: ROOT) }
      assert_predicate status, :success?, output
      output
    end
  end
end
