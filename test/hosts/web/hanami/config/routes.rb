# frozen_string_literal: true

module Bookshelf
  class Routes < Hanami::Routes
    get "/books", to: "books.index"
    get "/books/:number", to: "books.show"
    post "/books", to: "books.create"
    get "/gateway", to: "gateway"
  end
end
