# frozen_string_literal: true

# activerecord-import looks here for what it adds to an adapter of this name; where it finds nothing, it goes on without a word, and saves no
# associated rows. What it has for PostgreSQL is right for its subclass.
require "activerecord-import/active_record/adapters/postgresql_adapter"
