# frozen_string_literal: true

# What `require "sequel_pg"` finds where `postgres://` means this library's adapter: that gem speeds Sequel's own adapter up, and cannot be loaded
# without it. Rows become Hashes in C here, too. See guides/sequel.md.
