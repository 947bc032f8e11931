# frozen_string_literal: true

module Sequel
  module Trunkline
    # The schemes `postgres://` and `postgresql://`, where this library's adapter has them. Sequel's own adapter takes them when it is loaded, which
    # any gem may have it be; they are given back then. Its Database stays what it is, and is reached by its class:
    # `Sequel.connect(adapter: Sequel::Postgres::Database)`.
    module Scheme # :nodoc:
      NAMES = %i[postgres postgresql].freeze
      # With what takes the place of the gem sequel_pg and of its extension, which other gems ask for by name.
      SEQUEL_PG = File.expand_path("sequel_pg", __dir__)
      private_constant :NAMES, :SEQUEL_PG

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
          Scheme.take if NAMES.include?(scheme)
        end
      end
      private_constant :Kept

      # From now on they are this adapter's, whatever is loaded later.
      def self.take_over
        Sequel::Database.singleton_class.prepend(Kept)
        $LOAD_PATH.unshift(SEQUEL_PG) unless $LOAD_PATH.include?(SEQUEL_PG)
        Sequel::Postgres.extend(Supported)
        take
      end

      def self.take
        Sequel.synchronize { NAMES.each { |name| Sequel::ADAPTER_MAP[name] = Database } }
      end
    end
    private_constant :Scheme
  end
end
