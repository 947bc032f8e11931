# frozen_string_literal: true

require "pathname"
require_relative "repository"

# Links between files of the repository lead to their pages.
class LinksOfTheRepository < Nanoc::Filter
  identifier :links_of_the_repository

  # @param content [String] HTML
  # @param _parameters [Hash] none
  # @return [String]
  def run(content, _parameters = {})
    repository = Repository.new
    folder = Pathname.new(item.identifier.to_s).dirname
    content.gsub(/\b(href|src)="(?![a-z]+:|#)([^"]+)"/) do
      "#{Regexp.last_match(1)}=\"#{repository.address((folder + Regexp.last_match(2)).to_s.delete_prefix("/"))}\""
    end
  end
end
