# frozen_string_literal: true

require "enable_rails_patches"
require "prepend_pg_patch"
require "pg"
require_relative "rack-mini-profiler"
