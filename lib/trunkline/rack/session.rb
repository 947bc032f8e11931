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
    # Takes the options of every session, among them expire_after (seconds, for the cookie and the server both), and those of
    # Trunkline.memcached. A cache that cannot be reached leaves its sessions empty, and its cookies as they are.
    class Trunkline < Abstract::PersistedSecure
      # A session that existed when the request began has been deleted meanwhile.
      class Missing < StandardError; end

      NAMESPACE = "rack:session"
      FOUND = "rack.session.trunkline.found"
      private_constant :NAMESPACE, :FOUND

      # @param app [#call]
      # @param options [Hash] servers: as Trunkline.memcached takes them; cache: a client instead, which may have other uses too
      # @raise [Trunkline::ConfigError, ArgumentError] as Trunkline.memcached
      def initialize(app, options = {})
        super
        mine = options.reject { |name, _| DEFAULT_OPTIONS.key?(name) || %i[servers cache].include?(name) }
        @cache = options[:cache] || ::Trunkline.memcached(*options[:servers], **{ namespace: NAMESPACE }.merge(mine))
      end

      # A session that was ended elsewhere is not brought back to life.
      def call(*)
        super
      rescue Missing
        [401, {}, ["This session has ended"]]
      end

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

      # @return [Rack::Session::SessionId, nil] another one, unless there is to be none
      def delete_session(request, id, options)
        surviving(request, nil) do
          @cache.delete(id.private_id)
          fresh_id unless options[:drop]
        end
      end

      private

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

      # A second more than the cookie has.
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
