# frozen_string_literal: true

# Has the tests start programs of this machine's own Ruby, where an emulated one runs them.

require "rbconfig"

folder, name = File.split(ENV.fetch("TRUNKLINE_HOST_RUBY"))
RbConfig::CONFIG["bindir"] = folder
RbConfig::CONFIG["ruby_install_name"] = name
