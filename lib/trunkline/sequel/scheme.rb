# frozen_string_literal: true

require_relative "likeness"

module Sequel
  module Trunkline
    # The schemes `postgres://` and `postgresql://`, where this library's adapter has them. Sequel's own adapter takes them when it is loaded, which
    # any gem may have it be; they are given back then. Its Database stays what it is, and is reached by its class:
    # `Sequel.connect(adapter: Sequel::Postgres::Database)`.
    module Scheme # :nodoc:
      NAMES = %i[postgres postgresql].freeze
      # With what takes the place of the gem sequel_pg and of its extension, which other gems ask for by name.
      SEQUEL_PG = File.expand_path("sequel_pg", __dir__)
      # What Sequel's own adapter defines, and gems ask for.
      DEFINED_THERE = %i[Adapter Database Dataset PGconn PGError PGresult].freeze
      private_constant :NAMES, :SEQUEL_PG, :DEFINED_THERE

      # Of Sequel::Postgres: as sequel_pg has it.
      module Supported
        # @return [true] `extension(:pg_streaming)` works
        def supports_streaming? = true
      end
      private_constant :Supported

      # Of Sequel::Database: each adapter calls it as it is loaded.
      module Kept
        private

        def set_adapter_scheme(scheme)
          super
          Scheme.stock_is_loaded if NAMES.include?(scheme)
        end
      end
      private_constant :Kept

      # From now on they are this adapter's, whatever is loaded later.
      def self.take_over
        Sequel::Database.singleton_class.prepend(Kept)
        Sequel::Postgres.extend(Supported)
        stock = Sequel::Postgres.const_defined?(:Database)
        $LOAD_PATH.unshift(SEQUEL_PG) unless $LOAD_PATH.include?(SEQUEL_PG) || (stock && there?("sequel_pg"))
        stand_in unless stock
        take
      end

      # It asks for the gem sequel_pg at the end of its file.
      def self.stock_is_loaded
        stand_back
        take
        Likeness.recognize
      end

      def self.take
        Sequel.synchronize { NAMES.each { |name| Sequel::ADAPTER_MAP[name] = Database } }
      end

      # The classes of Sequel's own adapter are there as with that one: it is loaded when one of them is asked for.
      def self.stand_in
        DEFINED_THERE.each { |name| Sequel::Postgres.autoload(name, "sequel/adapters/postgres") } if there?("pg")
      end

      # Where sequel_pg is there itself: Ruby would find this one's file before that one's library, wherever their folders stand.
      def self.stand_back
        return unless there?("sequel_pg")

        $LOAD_PATH.delete(SEQUEL_PG)
        $LOADED_FEATURES.reject! { |file| file.start_with?("#{SEQUEL_PG}/") }
      end

      def self.there?(gem) = Gem::Specification.find_all_by_name(gem).any?
      private_class_method :take, :stand_in, :stand_back, :there?
    end
    private_constant :Scheme
  end
end
