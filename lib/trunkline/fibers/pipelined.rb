# frozen_string_literal: true

require_relative "offload"

module Trunkline
  # Gives a web action `pipeline`: the action pauses, a thread does the work, the server goes on with other requests, and
  # the action resumes with what the block returned.
  #
  #   class ReportsController < ApplicationController
  #     include Trunkline::Pipelined
  #
  #     def show
  #       data = pipeline { Legacy.fetch(params[:id]) }
  #       render json: data
  #     end
  #   end
  #
  # Queries need no `pipeline`: they wait without stopping the server anyway.
  module Pipelined
    private

    # @param deadline [Numeric, nil] seconds from now
    # @return [Object] what the block returns
    # @raise [Exception] what the block raises, and what {Trunkline.offload} raises
    def pipeline(deadline: nil, &block) = Trunkline.offload(deadline: deadline, &block)
  end
end
