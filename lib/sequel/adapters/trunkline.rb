# frozen_string_literal: true

require "trunkline"
require "sequel/adapters/shared/postgres"

require_relative "../../trunkline/sequel/connecting"
require_relative "../../trunkline/sequel/copying"
require_relative "../../trunkline/sequel/errors"
require_relative "../../trunkline/sequel/executing"
require_relative "../../trunkline/sequel/extending"
require_relative "../../trunkline/sequel/fetching"
require_relative "../../trunkline/sequel/gathering"
require_relative "../../trunkline/sequel/listening"
require_relative "../../trunkline/sequel/paging"
require_relative "../../trunkline/sequel/prepared"
require_relative "../../trunkline/sequel/quoting"
require_relative "../../trunkline/sequel/several_hosts"

module Sequel
  module Postgres
    # Sequel's extensions check this constant before they rely on parameters that are sent beside the SQL. It is defined on first use: the stock
    # adapter, loaded later, defines it itself.
    autoload :USES_PG, File.expand_path("../../trunkline/sequel/uses_pg", __dir__) unless const_defined?(:USES_PG)
  end

  # Sequel over a {::Trunkline::Postgres::Client}:
  #
  #   DB = Sequel.connect("trunkline://user@localhost/app")
  #
  # The datasets of all callers share a few connections; transactions, synchronize and statements that leave session state reserve one.
  module Trunkline
    # @see guides/sequel.md
    class Database < Sequel::Database
      include Sequel::Postgres::DatabaseMethods
      include Connecting
      include Extending
      include Executing
      include Copying
      include Listening
      include Errors
      Likeness.give(self, "Sequel::Postgres::Database")

      set_adapter_scheme :trunkline
      Sequel::Database.singleton_class.prepend(SeveralHosts)

      # The name of the class that it replaces: some gems, such as Que, choose their SQL by this text. `name` and `inspect` return its own.
      #
      # @return [String] Sequel::Postgres::Database
      def self.to_s = "Sequel::Postgres::Database"

      # @return [String] its own class, and the address
      def inspect = super.sub(self.class.to_s, self.class.inspect)

      # The scheme by which Sequel's extensions recognize PostgreSQL.
      #
      # @return [Symbol] :postgres
      def adapter_scheme = :postgres

      private

      def dataset_class_default = Dataset
    end

    # @see guides/sequel.md
    class Dataset < Sequel::Dataset
      include Sequel::Postgres::DatasetMethods
      include Fetching
      include Gathering
      include Paging
      include Prepared
      include Quoting
      Likeness.give(self, "Sequel::Postgres::Dataset")
    end
  end
end
