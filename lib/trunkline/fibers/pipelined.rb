# frozen_string_literal: true

require_relative "offload"

module Trunkline
  # Adds `pipeline` to a web action: the action pauses, a thread does the work, the server handles other requests, and the action resumes with what
  # the block returned.
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
  # Queries do not need `pipeline`: they wait without blocking the server.
  module Pipelined
    private

    # @param deadline [Numeric, nil] seconds from now
    # @return [Object] what the block returns
    # @raise [Exception] what the block raises, and what {Trunkline.offload} raises
    def pipeline(deadline: nil, &block) = Trunkline.offload(deadline: deadline, &block)
  end
end
