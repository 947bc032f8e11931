# frozen_string_literal: true

module Trunkline
  # A prepared statement was outdated within a transaction, which the server has rolled back: its tables or types have changed since it was prepared,
  # or the server has lost it. Outside of transactions it is prepared again without an error.
  class OutdatedStatement < ServerError
    ADVICE = "a prepared statement is outdated and will be prepared anew; the transaction was undone: run all of it again"
    private_constant :ADVICE

    # @param fields [Hash{Symbol => String, Integer}] of the server's error; see {ServerError#fields}
    def initialize(fields, **context)
      super({ **fields, message: "#{ADVICE} (#{fields[:message]})" }, retriable: true, **context)
    end
  end
end
