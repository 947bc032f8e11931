# frozen_string_literal: true

require_relative "../pg/pg"

module Sequel
  module Trunkline
    # Makes objects of this adapter pass for instances of the corresponding classes of Sequel's own adapter and of the pg gem, if these are loaded:
    # gems use `db.is_a?(Sequel::Postgres::Database)`, `case conn when PG::Connection`, `rescue PG::Error`.
    module Likeness # :nodoc:
      FOREIGN = %w[PG::Connection PG::Error Sequel::Postgres::Adapter Sequel::Postgres::Database Sequel::Postgres::Dataset].freeze
      TRANSLATIONS = Hash.new { |known, namespace| known[namespace] = ::Trunkline::PG.const_get(:Translation).new(namespace) }
      private_constant :FOREIGN, :TRANSLATIONS

      # For an object of this adapter.
      module Answering
        # @return [Boolean] true also for its foreign class
        def is_a?(type) = super || stands_for?(type)
        alias kind_of? is_a?
      end

      # For a foreign class.
      module Recognizing
        # @return [Boolean] true also for objects of this adapter that correspond to it
        def ===(object) = super || (Answering === object && object.is_a?(self))
      end
      private_constant :Answering, :Recognizing

      # For an error of the client: it also passes for the pg gem's error of the same condition.
      module OfError
        include Answering

        # @param error [PG::Error] that pg would have raised
        # @return [OfError] this one
        def as(error)
          @foreign = error
          self
        end

        # @return [PG::Result, nil] with error_field for the fields of the server's message
        def result = (@foreign.result if @foreign.respond_to?(:result))

        # @return [nil] there is no single one
        def connection = nil

        private

        def stands_for?(type) = @foreign.is_a?(type)
      end

      # Makes the objects of a class pass for those of foreign classes.
      #
      # @param type [Class]
      # @param names [Array<String>] of foreign classes
      def self.give(type, *names)
        type.include(Answering)
        type.define_method(:stands_for?) { |other| names.include?(other.name) }
        type.send(:private, :stands_for?)
      end

      # @return [Module] with pg's classes: the gem, if it is loaded
      def self.namespace = defined?(::PG::Connection) && defined?(::PG::Error) ? ::PG : ::Trunkline::PG

      # @param error [::Trunkline::Error, EncodingError]
      # @param connection [Object, nil] of the error
      # @return [Exception] that pg would have raised
      def self.foreign(error, connection = nil) = TRANSLATIONS[namespace].of(error, connection)

      # Makes those foreign classes that are loaded recognize this adapter's objects.
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
