# frozen_string_literal: true

module Sequel
  module Trunkline
    # Converts the statements of `connect_sqls` and `after_connect` to parameters of the startup message: they apply on all connections, and again
    # whenever one is reset.
    class StartupSettings # :nodoc:
      WORD = /[\w.+-]+|'(?:[^']|'')*'|"(?:[^"]|"")*"/
      SET = /\A\s*SET\s+(?:SESSION\s+)?(?:(TIME\s+ZONE)|([a-z_][\w.]*)\s*(?:=|\s+TO\s))\s*(#{WORD}(?:\s*,\s*#{WORD})*)\s*;?\s*\z/i
      # SET ... TO DEFAULT needs none; these two cannot be parameters of a startup message.
      ELSEWHERE = /\A(?:role|session_authorization)\z/i
      private_constant :WORD, :SET, :ELSEWHERE

      # The argument of an `after_connect` callable: records its statements.
      class Recorder < BasicObject
        # @param name [String] of the option
        def initialize(name, settings)
          @name = name
          @settings = settings
        end

        # @return [nil]
        # @raise [Sequel::Error] the statement is not SET
        def execute(sql, *) = @settings.add(sql)

        %i[exec async_exec query async_query run].each { |name| alias_method name, :execute }

        # @raise [Sequel::Error] always
        def method_missing(name, *) = @settings.refuse("#{@name} calls #{name}")

        # @return [Boolean]
        def respond_to?(name, _private = false) = %i[execute exec async_exec query async_query run].include?(name)
      end
      private_constant :Recorder

      # @param opts [Hash] connect_sqls, an Array of SQL; after_connect, a callable that takes a connection, and, with two parameters, the server
      # @param server [Symbol]
      # @raise [Sequel::Error] a statement is not SET
      def initialize(opts, server = :default)
        @settings = {}
        @option = "connect_sqls"
        Array(opts[:connect_sqls]).each { |sql| add(sql) }
        run(opts[:after_connect], server) if opts[:after_connect]
      end

      # @return [Hash{String => String}]
      def to_h = @settings

      # @param sql [String]
      # @raise [Sequel::Error] it is not SET
      def add(sql)
        zone, name, value = SET.match(sql)&.captures
        refuse("#{@option} says #{sql.split.first.to_s.upcase}") if value.nil? || ELSEWHERE.match?(name.to_s) || value.casecmp?("default")

        @settings[zone ? "TimeZone" : name] = value.start_with?("'") && value.match?(/\A'(?:[^']|'')*'\z/) ? value[1..-2].gsub("''", "'") : listed(value)
        nil
      end

      # @raise [Sequel::Error]
      def refuse(what)
        raise Sequel::Error, "#{what}: it may have SET alone here, whose value connections start with, as they are shared and set back: use " \
                             "driver_options: { options: \"-c name=value\" }, search_path, or ALTER ROLE ... SET"
      end

      private

      def run(callable, server)
        @option = "after_connect"
        recorder = Recorder.new(@option, self)
        parameters = callable.respond_to?(:arity) ? callable.arity : callable.method(:call).arity
        parameters == 2 ? callable.call(recorder, server) : callable.call(recorder)
      end

      # Names in single quotes are names here too.
      def listed(value) = value.gsub(/'((?:[^']|'')*)'/) { "\"#{$1.gsub("''", "'").gsub('"', '""')}\"" }
    end
    private_constant :StartupSettings
  end
end
