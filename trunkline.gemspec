# frozen_string_literal: true

require_relative "lib/trunkline/version"

repository = "https://github.com/trunkline-ruby/trunkline"

Gem::Specification.new do |spec|
  spec.name = "trunkline"
  spec.version = Trunkline::VERSION
  spec.authors = ["The Trunkline authors"]
  spec.summary = "Native PostgreSQL and memcached clients whose fibers and threads share a few connections"
  spec.description = <<~TEXT
    Code that reads as if it blocked, and never wastes a connection, a thread or a core on waiting:
    thousands of fibers or threads send their queries down a few shared connections.
    The protocol is spoken by the gem itself, in C; libpq is not needed.
  TEXT
  spec.license = "MIT"
  spec.homepage = repository
  spec.required_ruby_version = ">= 3.1"

  spec.files = Dir.chdir(__dir__) do
    Dir["lib/**/*.{rb,html,css,js}", "ext/**/*.{rb,c,h}", "exe/*", "sig/**/*.{rbs,yaml}", "LICENSE", "*.md",
        "guides/*.md", "guides/diagrams/*.svg", "bench/README.md", "bench/results/*.md", "examples/**/*"].select { |path| File.file?(path) }.sort
  end
  spec.bindir = "exe"
  spec.executables = spec.files.grep(%r{\Aexe/}) { |path| File.basename(path) }
  spec.extensions = ["ext/trunkline/extconf.rb"]
  spec.add_dependency "bigdecimal", ">= 3.1", "< 5" # Ruby's own; from 3.4 on one of the gems that come with it
  spec.metadata["postgresql_versions"] = ">= 12" # what servers are supported; their clients' library is not needed
  spec.metadata["memcached_versions"] = ">= 1.6.10"
  spec.metadata["homepage_uri"] = repository
  spec.metadata["source_code_uri"] = "#{repository}/tree/v#{spec.version}"
  spec.metadata["changelog_uri"] = "#{repository}/blob/v#{spec.version}/CHANGELOG.md"
  spec.metadata["documentation_uri"] = "#{repository}/tree/v#{spec.version}/guides"
  spec.metadata["bug_tracker_uri"] = "#{repository}/issues"
  spec.metadata["rubygems_mfa_required"] = "true"
end
