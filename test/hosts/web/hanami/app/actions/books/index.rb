# frozen_string_literal: true

require "json"

module Bookshelf
  module Actions
    module Books
      # What types of PostgreSQL's become.
      class Index < Bookshelf::Action
        include Deps["repos.book_repo"]

        def handle(_request, response)
          books = book_repo.all.map { |book| [book.title, book.tags.to_a, book.about.to_h, [book.pages.lower, book.pages.upper], book.kind] }
          response.body = JSON.generate(books)
        end
      end
    end
  end
end
