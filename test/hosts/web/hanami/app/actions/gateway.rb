# frozen_string_literal: true

require "json"

module Bookshelf
  module Actions
    class Gateway < Bookshelf::Action
      include Deps["db.gateway"]

      def handle(_request, response) = response.body = JSON.generate([gateway.connection.class.name, gateway.connection.database_type])
    end
  end
end
