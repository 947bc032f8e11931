# frozen_string_literal: true

# What a server loads before it forks: the application, which has asked the database already.
require_relative "config/environment"

Room.lease_connection
Room.count
