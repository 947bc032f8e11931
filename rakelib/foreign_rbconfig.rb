# frozen_string_literal: true

# Makes mkmf pass a cross compiler the headers and libraries of the Debian that is unpacked in the folder TRUNKLINE_ROOT, whose Ruby runs this.

require "rbconfig"

[RbConfig::CONFIG, RbConfig::MAKEFILE_CONFIG].each { |config| config["CC"] += " --sysroot=#{ENV.fetch("TRUNKLINE_ROOT")}" }
