# frozen_string_literal: true

require_relative "likeness"

module Sequel
  module Trunkline
    # The schemes `postgres://` and `postgresql://`, if they mean this library's adapter. Sequel's own adapter takes them when it is loaded, which any
    # gem may cause; then they are given back to this one. Its Database is not changed, and can be used by its class: `Sequel.connect(adapter:
    # Sequel::Postgres::Database)`.
    module Scheme # :nodoc:
      NAMES = %i[postgres postgresql].freeze
      # The folder of files that replace the gem sequel_pg and its extension, which other gems require by name.
      SEQUEL_PG = File.expand_path("sequel_pg", __dir__)
      # Constants that Sequel's own adapter defines, and gems use.
      DEFINED_THERE = %i[Adapter Database Dataset PGconn PGError PGresult].freeze
      private_constant :NAMES, :SEQUEL_PG, :DEFINED_THERE

      # For Sequel::Postgres, as in sequel_pg.
      module Supported
        # @return [true] `extension(:pg_streaming)` works
        def supports_streaming? = true
      end
      private_constant :Supported

      # For Sequel::Database: each adapter calls it when it is loaded.
      module Kept
        private

        def set_adapter_scheme(scheme)
          super
          Scheme.stock_is_loaded if NAMES.include?(scheme)
        end
      end
      private_constant :Kept

      # Makes them this adapter's, whatever is loaded later.
      def self.take_over
        Sequel::Database.singleton_class.prepend(Kept)
        Sequel::Postgres.extend(Supported)
        stock = Sequel::Postgres.const_defined?(:Database)
        $LOAD_PATH.unshift(SEQUEL_PG) unless $LOAD_PATH.include?(SEQUEL_PG) || (stock && there?("sequel_pg"))
        stand_in unless stock
        take
      end

      # Sequel's own adapter requires the gem sequel_pg at the end of its file.
      def self.stock_is_loaded
        stand_back
        take
        Likeness.recognize
      end

      def self.take
        Sequel.synchronize { NAMES.each { |name| Sequel::ADAPTER_MAP[name] = Database } }
      end

      # Autoloads the classes of Sequel's own adapter, which is loaded when one of them is used.
      def self.stand_in
        DEFINED_THERE.each { |name| Sequel::Postgres.autoload(name, "sequel/adapters/postgres") } if there?("pg")
      end

      # If sequel_pg itself is installed, Ruby would find this library's file before that gem's, whatever the order of their folders.
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
