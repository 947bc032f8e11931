# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

module Trunkline
  module Postgres
    # When connections to a pooler retire whose server refuses writes.
    class RoleWatchTest < TestCase
      # A connection through a pooler.
      Link = Struct.new(:server, :refused, :reason) do
        def pooled = true
        def codec = self
        def refused_write? = refused
      end
      # The connections, each of which retires once.
      Links = Struct.new(:trunks) do
        def retire_where(reason) = trunks.each { |trunk| trunk.reason ||= reason if yield(trunk) }
      end

      def setup
        super
        @now = 1000.0
      end

      # Where each connection was found to lead to a primary when it began.
      def test_a_pooler_that_is_moved_twice_within_a_second
        watch, links, searches = watching("read-write")
        links.trunks.first.refused = true
        assert watch.call
        fresh = Link.new("pooler").tap { |link| links.trunks.push(link) }
        assert watch.call, "another caller was refused over a connection that has retired"
        assert_equal [nil, 1], [fresh.reason, searches.size]
        fresh.refused = true
        @now += 0.1
        assert watch.call
        assert_equal ["its server is read-only", 2], [fresh.reason, searches.size]
      end

      # A fresh connection may lead to a standby: then each write would cost a connection.
      def test_at_most_once_a_second_where_any_server_will_do
        watch, links, searches = watching("any")
        links.trunks.first.refused = true
        assert watch.call
        links.trunks.push(Link.new("pooler", true))
        @now += 0.9
        assert watch.call
        assert_equal [1, nil], [searches.size, links.trunks.last.reason]
        @now += 0.2
        assert watch.call
        assert_equal [2, "its server is read-only"], [searches.size, links.trunks.last.reason]
      end

      private

      # @return [Array(Proc, Links, Array)] reports a refusal; connections to one pooler; what was avoided
      def watching(wanted)
        links = Links.new(Array.new(2) { Link.new("pooler") })
        searches = []
        factory = Object.new
        factory.define_singleton_method(:avoid) { |server, _| searches << server }
        factory.define_singleton_method(:refused_write) { nil }
        watch = RoleWatch.new(Struct.new(:target_session_attrs).new(wanted), [links], factory)
        [-> { Waiting.stub(:now, @now) { watch.leave_read_only_servers } }, links, searches]
      end
    end
  end
end
