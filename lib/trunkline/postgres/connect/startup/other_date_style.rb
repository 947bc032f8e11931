# frozen_string_literal: true

require_relative "../../../errors"

module Trunkline
  module Postgres
    class Startup
      # The role, the database or the server has a DateStyle in which dates cannot be decoded. Its order of month, day and year must be kept.
      class OtherDateStyle < ConnectionError
        # @return [String] the DateStyle to request instead
        attr_reader :readable

        # @param reported [String] the server's DateStyle: "German, DMY"
        def initialize(reported)
          super("the session has DateStyle #{reported.inspect}, in which dates cannot be read", retriable: false)
          @readable = ["ISO", reported[/\b(?:MDY|DMY|YMD)\z/]].compact.join(", ")
        end
      end
    end
  end
end
