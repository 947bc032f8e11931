# frozen_string_literal: true

require "json"

module Bookshelf
  module Actions
    module Books
      class Show < Bookshelf::Action
        include Deps["repos.book_repo"]

        def handle(request, response) = response.body = JSON.generate([book_repo.find(Integer(request.params[:number])).title])
      end
    end
  end
end
