# frozen_string_literal: true

module Bookshelf
  module Repos
    class BookRepo < Bookshelf::DB::Repo
      def all = books.order(:id).to_a
      def find(id) = books.by_pk(id).one!

      # All of them, or none.
      def create_all(several) = books.transaction { several.map { |one| books.changeset(:create, one).commit } }
    end
  end
end
