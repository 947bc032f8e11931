# frozen_string_literal: true

# Has mkmf find the headers and the libraries of a Ruby that is unpacked in the folder TRUNKLINE_ROOT, for a cross compiler.

require "rbconfig"

root = ENV.fetch("TRUNKLINE_ROOT")
[RbConfig::CONFIG, RbConfig::MAKEFILE_CONFIG].each { |config| config["CC"] += " --sysroot=#{root}" }
RbConfig::MAKEFILE_CONFIG["prefix"] = "#{root}/usr"
RbConfig::CONFIG.each { |name, value| value.sub!(%r{\A/usr/include}, "#{root}/usr/include") if name.end_with?("hdrdir") }
