# frozen_string_literal: true

require "json"

module Bookshelf
  module Actions
    module Books
      class Create < Bookshelf::Action
        include Deps["repos.book_repo"]

        PAGES = ROM::SQL::Postgres::Values::Range
        private_constant :PAGES

        def handle(request, response)
          books = JSON.parse(request.body.read).map { |title| { title: title, tags: [title, "a,b"], about: { "of" => title }, pages: PAGES.new(1, title.size, :"[)"), kind: "poems" } }
          response.body = JSON.generate(book_repo.create_all(books).size)
        rescue ROM::SQL::UniqueConstraintError => error
          response.body = JSON.generate([error.class.name, error.message[/Key .* already exists/]])
        end
      end
    end
  end
end
