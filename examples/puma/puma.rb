# frozen_string_literal: true

# Connections are opened in the process that uses them, so the application may be loaded before the workers are forked.
rackup File.expand_path("config.ru", __dir__)
threads 16, 16
workers Integer(ENV.fetch("WORKERS", "0"))
preload_app!
fork_worker if ENV["FORK_WORKER"]
