# frozen_string_literal: true

require_relative "../../../errors"

module Trunkline
  module Postgres
    class Startup
      # A role, a database or the server has a DateStyle in which dates cannot be read. Its order of month, day and year is to be kept.
      class OtherDateStyle < ConnectionError
        # @return [String] what to ask for instead
        attr_reader :readable

        # @param reported [String] what the server has: "German, DMY"
        def initialize(reported)
          super("the session has DateStyle #{reported.inspect}, in which dates cannot be read", retriable: false)
          @readable = ["ISO", reported[/\b(?:MDY|DMY|YMD)\z/]].compact.join(", ")
        end
      end
    end
  end
end
