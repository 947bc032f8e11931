# frozen_string_literal: true

require_relative "timing"

module Trunkline
  module CLI
    class Doctor
      # Examines memcached servers as an application would use them. It stores nothing.
      class Memcached # :nodoc:
        TIMEOUT = 10 # seconds that one command may take: a bound, not tuned
        # Needed for the meta commands that this library sends.
        OLDEST = Gem::Version.new("1.6.10")
        # No application has it: a get of it measures the round trip and the server's work.
        KEY = "trunkline doctor"
        ADDRESS = %r{\A(?:memcached://.+|[^\s=/,]+:\d+(?:,[^\s=/,]+:\d+)*)\z}
        private_constant :TIMEOUT, :OLDEST, :KEY, :ADDRESS

        # @param text [String, nil]
        # @return [Boolean] whether it is an address of memcached servers: memcached://host:port, or host:port, several separated by commas
        def self.address?(text) = ADDRESS.match?(text.to_s)

        # @param servers [String]
        # @param connections [Integer] to each server, as of {Trunkline.memcached}
        # @param processes [Integer] how many the application has
        # @param others [Hash] options for PostgreSQL only
        # @raise [ConfigError, ArgumentError] an invalid value
        def initialize(servers, connections: 1, processes: 1, **others)
          raise ArgumentError, "--#{others.keys.first.name.tr("_", "-")} is for PostgreSQL, and #{servers} is memcached's" if others.any?
          raise ArgumentError, "processes must be positive, not #{processes}" unless processes.positive?

          @clients = servers.split(",").to_h { |server| [server.strip, Trunkline.memcached(server.strip, timeout: TIMEOUT, connections: connections)] }
          @connections = connections * processes
        end

        # @param out [IO] where the findings go
        # @return [Boolean] whether there is no problem
        def examine(out)
          findings = @clients.flat_map { |name, client| examine_server(name, client) }
          findings.each { |verdict, sentence| out.puts("#{MARKS.fetch(verdict)}  #{sentence}") }
          findings.none? { |verdict,| verdict == :trouble }
        ensure
          @clients.each_value(&:close)
        end

        private

        def examine_server(name, client)
          version = client.version.values.first or return [[:trouble, "No memcached answers at #{name}. A PostgreSQL server is written postgres://host:port/database."]]
          stats = client.stats.values.first
          [version(name, version), Timing.round_trip("A get") { client.get(KEY) }, room(client.stats(:settings).values.first), evictions(stats), limit(stats)]
        rescue Error => error
          [[:trouble, "#{name}: #{error.message}."]]
        end

        def version(name, text)
          return [:fine, "memcached #{text} at #{name} answers."] if Gem::Version.new(text[/\d+(\.\d+)*/]) >= OLDEST

          [:trouble, "memcached #{text} at #{name} is too old: this library needs #{OLDEST} or later."]
        end

        def room(settings) = [:fine, "A value may have #{megabytes(settings["item_size_max"])} (-I), all together #{megabytes(settings["maxbytes"])} (-m)."]

        def evictions(stats)
          evicted = Integer(stats["evictions"])
          return [:fine, "It has dropped no value for lack of memory."] if evicted.zero?

          [:advice, "It has dropped #{evicted} values for lack of memory since it was started: -m gives it more."]
        end

        def limit(stats)
          most, open = stats.values_at("max_connections", "curr_connections").map { |number| Integer(number) }
          told = "the application may open #{@connections} connections, and the server takes #{most}, of which #{open} are open"
          return [:fine, "#{told.sub(/\A./, &:upcase)}."] if @connections <= most

          [:trouble, "#{told.sub(/\A./, &:upcase)}: let it take more (-c), or run fewer processes."]
        end

        def megabytes(bytes) = "#{format("%.4g", Integer(bytes) / 1048576.0)} MiB"
      end
    end
  end
end
