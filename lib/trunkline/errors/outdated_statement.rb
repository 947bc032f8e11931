# frozen_string_literal: true

module Trunkline
  # A prepared statement was of no use any more within a transaction, which the server has undone: its tables or types have
  # changed since it was prepared, or the server has lost it. Outside of transactions it is prepared anew, unnoticed.
  class OutdatedStatement < ServerError
    ADVICE = "a prepared statement is outdated and will be prepared anew; the transaction was undone: run all of it again"
    private_constant :ADVICE

    # @param fields [Hash{Symbol => String, Integer}] what the server said; see {ServerError#fields}
    def initialize(fields, **context)
      super({ **fields, message: "#{ADVICE} (#{fields[:message]})" }, retriable: true, **context)
    end
  end
end
