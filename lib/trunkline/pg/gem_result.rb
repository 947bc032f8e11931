# frozen_string_literal: true

require_relative "result"

module Trunkline
  module PG
    # If the pg gem is loaded, its PG::Result recognizes results of this library as its own: gems call `PG::Result === result` and
    # `result.is_a?(PG::Result)`. It cannot be their superclass, as only libpq creates its objects.
    module GemResult
      # For the class PG::Result.
      module Recognizing
        # @return [Boolean] true also for results of this library
        def ===(object) = super || (equal?(::PG::Result) && Result === object)
      end

      # For {Result}.
      module Recognized
        # @return [Boolean] true also for PG::Result
        def is_a?(type) = super || type.equal?(::PG::Result)
        alias kind_of? is_a?
      end
      private_constant :Recognizing, :Recognized

      ::PG::Result.singleton_class.prepend(Recognizing)
      Result.prepend(Recognized)
      ResultErrors.namespace = ::PG
    end
    private_constant :GemResult
  end
end
