# frozen_string_literal: true

# Loaded by `require "sequel_pg"` if `postgres://` means this library's adapter: that gem accelerates Sequel's own adapter, and cannot be loaded
# without it. Rows become Hashes in C here, too. See guides/sequel.md.
