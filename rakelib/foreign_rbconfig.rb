# frozen_string_literal: true

# Has mkmf give a cross compiler the headers and the libraries of the Debian that is unpacked in the folder TRUNKLINE_ROOT, whose Ruby runs this.

require "rbconfig"

[RbConfig::CONFIG, RbConfig::MAKEFILE_CONFIG].each { |config| config["CC"] += " --sysroot=#{ENV.fetch("TRUNKLINE_ROOT")}" }
