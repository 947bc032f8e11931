# frozen_string_literal: true

require "rack/session/abstract/id"
require "trunkline"

module Rack
  module Session
    # Sessions in memcached, over one connection to each server that all threads and fibers share.
    #
    #   require "trunkline/rack/session"
    #   use Rack::Session::Trunkline, servers: "cache.example:11211", expire_after: 3600
    #
    # In Rails, with the same line required in config/application.rb:
    #
    #   config.session_store Rack::Session::Trunkline, servers: "cache.example:11211", key: "_shop_session", expire_after: 1.day
    #
    # Takes the options of every session, among them expire_after (seconds, for both the cookie and the server), and those of Trunkline.memcached. If
    # a cache cannot be reached, sessions are empty, and cookies are not changed.
    class Trunkline < Abstract::PersistedSecure
      # A session that existed when the request began has been deleted meanwhile.
      class Missing < StandardError; end

      NAMESPACE = "rack:session"
      FOUND = "rack.session.trunkline.found"
      # A key that a Rails application adds to the environment of each request.
      RAILS = "action_dispatch.parameter_filter"
      # Options of sessions that are not among the defaults; and this class's own.
      OTHERS = %i[same_site servers memcache_server cache].freeze
      private_constant :NAMESPACE, :FOUND, :RAILS, :OTHERS

      # @param app [#call]
      # @param options [Hash] servers: as Trunkline.memcached takes them, or memcache_server: as Dalli's sessions do; cache: a client instead, which
      #   may be used elsewhere too; expires: the same as expire_after
      # @raise [Trunkline::ConfigError, ArgumentError] as Trunkline.memcached
      def initialize(app, options = {})
        options = { **options, expire_after: options[:expire_after] || options[:expires] }
        options.delete(:expires)
        super
        mine = options.reject { |name, _| DEFAULT_OPTIONS.key?(name) || OTHERS.include?(name) }
        @cache = options[:cache] || ::Trunkline.memcached(*(options[:servers] || options[:memcache_server]), **{ namespace: NAMESPACE }.merge(mine))
        @given = { **options, cache: @cache }
      end

      # A session that was deleted elsewhere is not stored again.
      #
      # @param env [Hash] Rack's environment
      # @return [Array] status, headers, body
      def call(env) = env.key?(RAILS) ? of_rails.call(env) : answer(env)

      # @return [Array(Rack::Session::SessionId, Hash)]
      def find_session(request, id)
        surviving(request, [nil, {}]) do
          session = id && @cache.get(id.private_id)
          id, session = create_session unless session
          request.set_header(FOUND, id)
          [id, session]
        end
      end

      # @return [Rack::Session::SessionId, false]
      def write_session(request, id, session, options)
        return false unless id

        surviving(request, false) do
          known = request.get_header(FOUND) == id
          stored = @cache.public_send(known ? :replace : :set, id.private_id, session, life(options))
          stored ? id : raise(Missing)
        end
      end

      # @return [Rack::Session::SessionId, nil] a new one, unless none is wanted
      def delete_session(request, id, options)
        surviving(request, nil) do
          @cache.delete(id.private_id)
          fresh_id unless options[:drop]
        end
      end

      private

      # If two are created at the same time, either will do: they share the client.
      def of_rails
        @of_rails ||= begin
          require_relative "rails_session"
          OfRails.new(@app, @given)
        end
      end

      def answer(env)
        context(env)
      rescue Missing
        [401, {}, ["This session has ended"]]
      end

      def create_session
        loop do
          id = fresh_id
          return [id, {}] if @cache.add(id.private_id, {}, life(@default_options))
        end
      end

      def fresh_id
        id = generate_sid
        id.is_a?(SessionId) ? id : SessionId.new(id)
      end

      # A second longer than the cookie.
      def life(options) = options[:expire_after] ? options[:expire_after].to_i + 1 : 0

      def surviving(request, fallback)
        yield
      rescue ::Trunkline::Error => error
        request.get_header(RACK_ERRORS)&.puts("#{self.class}: #{error.class}: #{error.message}")
        fallback
      end
    end
  end
end
