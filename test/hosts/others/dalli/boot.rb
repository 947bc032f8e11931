# frozen_string_literal: true

# What comes before Dalli's own tests: this client under Dalli's name, and servers of their own.
require "bundler/setup"
require "logger"
require "minitest/spec"
require "openssl"
require "trunkline"
require_relative "../suites/journal"
require_relative "client"
require_relative "servers"

$LOADED_FEATURES.push("dalli.rb", File.realpath("test/utils/memcached_manager.rb"))
require "#{Dir.pwd}/lib/dalli/compressor" # Dalli's own, that tests give to clients
