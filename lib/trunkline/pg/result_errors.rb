# frozen_string_literal: true

module Trunkline
  module PG
    # Where the classes of errors that results raise are: here, or in the pg gem, where its results recognize these.
    module ResultErrors
      @namespace = PG

      class << self
        # @return [Module]
        attr_accessor :namespace
      end
    end
    private_constant :ResultErrors
  end
end
