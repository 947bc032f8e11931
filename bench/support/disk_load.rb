# frozen_string_literal: true

require "rbconfig"
require_relative "servers/keeper"

module Trunkline
  module Bench
    # Another process that keeps the disk busy while the block runs: it writes files and forces them out, again and again.
    module DiskLoad
      PROGRAM = <<~RUBY
        Dir.chdir(ARGV.first)
        block = Random.bytes(1 << 20)
        loop do
          8.times { |number| File.open("load-\#{number}", "wb") { |file| 4.times { file.write(block) } && file.fsync } }
        end
      RUBY
      private_constant :PROGRAM

      # @yieldreturn [Object]
      # @return [Object] the block's value
      def self.during
        keeper = Keeper.instance
        pid = keeper.spawn(RbConfig.ruby, "--disable=gems", "-e", PROGRAM, keeper.folder, log: File.join(keeper.folder, "load.log"))
        yield
      ensure
        keeper.stop(pid) if pid
      end
    end
  end
end
