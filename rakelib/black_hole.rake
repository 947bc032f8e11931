# frozen_string_literal: true

require "rbconfig"

desc "Test connections when the network drops every packet (as root, on Linux, with iproute2 and util-linux)"
task black_hole: :compile do
  abort "root is needed for networks of their own" unless Process.uid.zero?
  sh("unshare", "-n", RbConfig.ruby, "-w", "-Ilib", "-Itest", "test/black_hole/server_side.rb")
end
