# frozen_string_literal: true

require_relative "../pg/pg"

module Sequel
  module Trunkline
    # Objects of this adapter answer for the classes that stand in their place in Sequel's own adapter and in the pg gem, where these are loaded: gems ask
    # `db.is_a?(Sequel::Postgres::Database)`, `case conn when PG::Connection`, `rescue PG::Error`.
    module Likeness # :nodoc:
      FOREIGN = %w[PG::Connection PG::Error Sequel::Postgres::Adapter Sequel::Postgres::Database Sequel::Postgres::Dataset].freeze
      TRANSLATIONS = Hash.new { |known, namespace| known[namespace] = ::Trunkline::PG.const_get(:Translation).new(namespace) }
      private_constant :FOREIGN, :TRANSLATIONS

      # Of an object here.
      module Answering
        # @return [Boolean] true of the foreign class that it stands for too
        def is_a?(type) = super || stands_for?(type)
        alias kind_of? is_a?
      end

      # Of a foreign class.
      module Recognizing
        # @return [Boolean] true of what stands for one of its objects too
        def ===(object) = super || (Answering === object && object.is_a?(self))
      end
      private_constant :Answering, :Recognizing

      # Of an error of the client: it is the pg gem's of the same condition too.
      module OfError
        include Answering

        # @param error [PG::Error] as pg would have raised it
        # @return [OfError] this one
        def as(error)
          @foreign = error
          self
        end

        # @return [PG::Result, nil] whose error_field tells the fields of the server's message
        def result = (@foreign.result if @foreign.respond_to?(:result))

        # @return [nil] it is no single one
        def connection = nil

        private

        def stands_for?(type) = @foreign.is_a?(type)
      end

      # The objects of a class here stand for those of foreign ones.
      #
      # @param type [Class]
      # @param names [Array<String>] of foreign classes
      def self.give(type, *names)
        type.include(Answering)
        type.define_method(:stands_for?) { |other| names.include?(other.name) }
        type.send(:private, :stands_for?)
      end

      # @return [Module] with the classes of pg: that of the gem, where it is loaded
      def self.namespace = defined?(::PG::Connection) && defined?(::PG::Error) ? ::PG : ::Trunkline::PG

      # @param error [::Trunkline::Error, EncodingError]
      # @param connection [Object, nil] that it is told of
      # @return [Exception] as pg would have raised it
      def self.foreign(error, connection = nil) = TRANSLATIONS[namespace].of(error, connection)

      # Whichever of the foreign classes are loaded know what stands for their objects.
      def self.recognize
        FOREIGN.each { |name| loaded(name)&.singleton_class&.prepend(Recognizing) }
        require_relative "../pg/gem_result" unless namespace == ::Trunkline::PG
      end

      def self.loaded(name)
        name.split("::").reduce(Object) { |scope, part| scope.autoload?(part) || !scope.const_defined?(part, false) ? break : scope.const_get(part, false) }
      end
      private_class_method :loaded
    end
    private_constant :Likeness
  end
end
