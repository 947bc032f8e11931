# frozen_string_literal: true

require "pg"

# To open a connection of libpq's fails, but where the stock adapter is beside.
module NoLibpq
  class Opened < StandardError; end

  %i[new open connect async_connect sync_connect connect_start setdb setdblogin ping].each do |name|
    define_method(name) { |*| raise Opened, "PG::Connection.#{name} was called" }
  end
end
PG::Connection.singleton_class.prepend(NoLibpq) unless ENV["ADAPTER"] == "postgresql"
