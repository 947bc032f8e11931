# frozen_string_literal: true

# A Rage application that asks by ActiveRecord, over the adapter that ADAPTER names. Asked for by its actions.
#
#   /json      answers without a query
#   /find      a record by its primary key
#   /sleep     the database waits for a hundredth of a second
#   /slow      a record, an answer of the server that UPSTREAM names, which takes a second, and another record
require_relative "config/application"

run Rage.application
