# frozen_string_literal: true

module Sequel
  module Trunkline
    # The schemes `postgres://` and `postgresql://`, where this library's adapter has them. Sequel's own adapter takes them when it is loaded, which
    # any gem may have it be; they are given back then. Its Database stays what it is, and is reached by its class:
    # `Sequel.connect(adapter: Sequel::Postgres::Database)`.
    module Scheme # :nodoc:
      NAMES = %i[postgres postgresql].freeze
      private_constant :NAMES

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
        take
      end

      def self.take
        Sequel.synchronize { NAMES.each { |name| Sequel::ADAPTER_MAP[name] = Database } }
      end
    end
    private_constant :Scheme
  end
end
