# frozen_string_literal: true

require "net/http"
require_relative "measure"

module Trunkline
  module Bench
    # Users of a web server, each of which requests a page again and again while its database is stopped and started.
    class RestartedRequests
      USERS = 8
      PAUSE = 0.02   # seconds between two requests of a user
      ENOUGH = 10    # answered requests of each user
      PATIENCE = 120 # seconds
      Request = Struct.new(:user, :begun, :ended, :error)
      private_constant :PAUSE, :ENOUGH, :PATIENCE, :Request

      # @param web [WebServer]
      # @param path [String]
      def initialize(web, path)
        @web = web
        @path = path
        @requests = Queue.new
        @over = false
        @threads = Array.new(USERS) { |user| Thread.new { request_again(user) } }
      end

      # Waits until each user has had some requests answered from now on.
      #
      # @raise [RuntimeError] that takes too long
      def await_answers
        since = Measure.now
        until USERS.times.all? { |user| answered(since).count { |request| request.user == user } >= ENOUGH }
          raise "no answers: #{all.last(USERS)}" if Measure.now > since + PATIENCE

          sleep PAUSE
        end
      end

      # @param stopped [Float] when the server was stopped, on the monotonic clock
      # @param back [Float] when it took connections again
      # @return [Hash] requests, failed, later (of these, those that began when the server was back), gap (seconds without an answered request, from the stop on), back (seconds
      #   from its return to the first answered request that ended after it), longest (seconds of a request), errors (number by class)
      def finish(stopped, back)
        @over = true
        @threads.each(&:join)
        meant = all.select { |request| request.ended >= stopped }
        failed = meant.select(&:error)
        ends = [stopped, *answered(stopped).map(&:ended).sort]
        { requests: meant.size, failed: failed.size, later: failed.count { |request| request.begun > back }, gap: ends.each_cons(2).map { |one, other| other - one }.max,
          back: ends.find { |ended| ended > back } - back, longest: meant.map { |request| request.ended - request.begun }.max, errors: failed.map(&:error).tally }
      end

      private

      def all
        @all ||= []
        @all << @requests.pop until @requests.empty?
        @all
      end

      def answered(since) = all.select { |request| request.error.nil? && request.ended >= since }

      # @return [String, nil] the class that the shop shows, or the status
      def error(answer) = answer.code == "200" ? nil : answer.body[/\A[A-Z][\w:]+\z/] || answer.code

      def request_again(user)
        until @over
          begun = Measure.now
          answer = @web.get(@path)
          @requests << Request.new(user, begun, Measure.now, error(answer))
          sleep PAUSE
        end
      end
    end
  end
end
