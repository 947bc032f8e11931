# frozen_string_literal: true

# Makes tests that run in an emulated Ruby start programs of this machine's Ruby.

require "rbconfig"

folder, name = File.split(ENV.fetch("TRUNKLINE_HOST_RUBY"))
RbConfig::CONFIG["bindir"] = folder
RbConfig::CONFIG["ruby_install_name"] = name
