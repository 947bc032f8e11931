# frozen_string_literal: true

require_relative "result"

module Trunkline
  module PG
    # Where the pg gem is loaded, its PG::Result knows the results of this library as its own: gems ask `PG::Result === result` and
    # `result.is_a?(PG::Result)`. It cannot be their superclass, as libpq alone makes its objects.
    module GemResult
      # For the class PG::Result.
      module Recognizing
        # @return [Boolean] true of results of this library too
        def ===(object) = super || (equal?(::PG::Result) && Result === object)
      end

      # For {Result}.
      module Recognized
        # @return [Boolean] true of PG::Result too
        def is_a?(type) = super || type.equal?(::PG::Result)
        alias kind_of? is_a?
      end
      private_constant :Recognizing, :Recognized

      ::PG::Result.singleton_class.prepend(Recognizing)
      Result.prepend(Recognized)
    end
    private_constant :GemResult
  end
end
