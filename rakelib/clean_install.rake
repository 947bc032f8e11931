# frozen_string_literal: true

require_relative "debian_root"

desc "Install the built gem in a clean Debian 12 and beside Ruby 3.3 and 3.4, and run the README's first program there (as root)"
task clean_install: :compile do
  abort DebianRoot.missing if DebianRoot.missing
  ruby "-w", "-Ilib", "-Itest", "test/clean/roots.rb"
end
