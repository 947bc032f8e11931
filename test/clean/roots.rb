# frozen_string_literal: true

# The gem as strangers get it: `rake clean_install` runs this as root, with Debian roots that are made on first use.

require "test_helper"
require "fileutils"
require "support/built_gem"
require_relative "../../rakelib/ruby_root"

module Trunkline
  class CleanRootsTest < TestCase
    include BuiltGem

    # Where the gem and the program lie, inside.
    FOLDER = "/srv/clean-install"
    # All that is needed to install a gem that has C in it.
    PACKAGES = %w[ruby ruby-dev make gcc libc6-dev].freeze
    private_constant :FOLDER, :PACKAGES

    def test_debian_12
      root = DebianRoot.new("bookworm").tap(&:make)
      root.install(*PACKAGES)
      assert_equal SAID, first_program(root.path, ->(folder) { root.command(FOLDER, shared: [folder]) })
      assert_empty Dir[File.join(root.path, "usr/lib/*/libpq.so*")]
    end

    RubyRoot::VERSIONS.each do |version|
      define_method(:"test_ruby_#{version.tr(".", "_")}") do
        root = RubyRoot.new(version).tap(&:make)
        assert_equal SAID, first_program(root.path, ->(folder) { [*root.command(shared: [folder]), "env", "-C", FOLDER] })
      end
    end

    private

    # @param path [String] of the root
    # @param inside [#call] what goes before a command that sees the folder of the server's socket
    # @return [String] what the program says
    def first_program(path, inside)
      folder = FileUtils.mkdir_p(File.join(path, FOLDER)).first
      build_gem(File.join(folder, "trunkline.gem"))
      with_first_program(File.join(folder, "first_program.rb")) do
        enter = [*inside.call(postgres_server.socket_directory), "env", "GEM_HOME=#{FOLDER}/gems"]
        refute_match(/warning/i, run_command(*enter, "gem", "install", "--local", "--no-document", "trunkline.gem"))
        run_command(*enter, "ruby", "-w", "first_program.rb")
      end
    ensure
      FileUtils.rm_rf(folder)
    end
  end
end
