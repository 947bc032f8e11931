# frozen_string_literal: true

Sequel::Postgres::USES_PG = true
