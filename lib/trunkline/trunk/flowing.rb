# frozen_string_literal: true

require_relative "given_up"
require_relative "waiting"

module Trunkline
  # How a caller with a trunk of its own reads an answer in portions, and writes more than one request. Between two calls nothing is
  # read, and so the other side waits when the socket is full. A caller with much to read or write gives the other fibers a turn now
  # and then, though nothing makes it wait.
  module Flowing # :nodoc:
    # Reads until the request is done or the block is content; or until the request's time is over, or the connection is lost.
    #
    # @param request [Request] in flight here, or a companion of a caller that waits for what comes unasked
    # @yieldreturn [Boolean] whether enough has come
    def follow(request, &content)
      attend_until(request, content) { step(request) }
      Waiting.give_turn(request.scheduler) if request.scheduler
    end

    # Writes what lies in the output until the block is content, and reads what comes meanwhile: a server that cannot get rid of its
    # notices takes nothing.
    #
    # @param request [Request] in flight here
    # @yieldreturn [Boolean] whether enough is written, or something has come that the caller must look at first
    def push(request, &content)
      flush
      take_in_what_is_there
      attend_until(request, content) { exchange } unless yield
      Waiting.give_turn(request.scheduler) if request.scheduler
    end

    # Sends a request whatever scheduler the others on this trunk have, and waits for its answer, which they may read.
    #
    # @param request [Request]
    def interject(request)
      return disown if inherited?

      Waiting.undisturbed(request.scheduler) do
        @codec.submit(request) or return request.give_up(@loss || GivenUp.new(:deadline, false))
        flush
      end
      follow(request) { false }
    end

    private

    def attend_until(request, content)
      return disown if inherited?

      Waiting.undisturbed(request.scheduler) do
        lead_or_wait(request, content) { yield } until over?(request, content)
      ensure
        leave(request)
      end
    end

    def over?(request, content) = request.done? || !@loss.nil? || content.call || request.patience_over?

    def lead_or_wait(request, content)
      leads = @state.lead(request)
      return if leads.nil?
      return Waiting.park(request, leads || nil) unless leads == true

      take_in # what was left over from an earlier portion
      yield until over?(request, content)
    end

    def exchange
      flush
      read_or_wait unless @wire.flushed?
    rescue SystemCallError, IOError, ConnectionError => error
      lose(error.message)
    end

    def read_or_wait
      received = @wire.receive
      if received then take_in
      elsif received.nil? then lose(farewell)
      else sleep_until_ready
      end
    end

    def take_in_what_is_there
      received = @wire.receive
      take_in if received
      lose(farewell) if received.nil?
    rescue SystemCallError, IOError, ConnectionError => error
      lose(error.message)
    end
  end
  private_constant :Flowing
end
