# frozen_string_literal: true

# activerecord-import searches this file for its extension of an adapter of this name; without it, it silently saves no associated rows. Its extension
# of PostgreSQL applies to the subclass.
require "activerecord-import/active_record/adapters/postgresql_adapter"
