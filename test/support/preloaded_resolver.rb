# frozen_string_literal: true

require "rbconfig"
require "tmpdir"

# A resolver for another process that replaces the C library's: it hangs until it is released.
module PreloadedResolver
  SOURCE = File.expand_path("preloaded_resolver.c", __dir__)
  FLAGS = %w[-shared -fPIC -Wall -Wextra -Werror].freeze
  private_constant :SOURCE, :FLAGS

  # @yieldparam environment [Hash{String => String}] of a process that is to have it
  # @yieldparam release [String] path of the file that releases it when it is there
  # @return what the block returns
  def self.with
    Dir.mktmpdir do |folder|
      library = "#{folder}/resolver.so"
      system(*RbConfig::CONFIG["CC"].split, *FLAGS, "-o", library, SOURCE, "-ldl", exception: true)
      release = "#{folder}/release"
      yield({ "LD_PRELOAD" => library, "TRUNKLINE_RESOLVER_RELEASE" => release }, release)
    end
  end
end
