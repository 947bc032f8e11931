# frozen_string_literal: true

module Trunkline
  # The server refused the login: the password (28P01), the user (28000), the database (3D000), the right to connect to it (42501), a setting (42704),
  # ... No request was sent. The {ServerError} is the cause. For a server that is full, or starting, the error is {TooManyConnections} or
  # {CannotConnectNow}, which are retriable.
  class LoginError < ConnectionError
    # @return [Hash{Symbol => String, Integer}] as {ServerError#fields}
    attr_reader :fields

    # @param error [ServerError] of the login
    # @return [LoginError, ServerError]
    def self.of(error) = error.retriable? ? error.unsent : new(error.fields, server: error.server)

    # @param fields [Hash{Symbol => String, Integer}]
    def initialize(fields = {}, **context)
      @fields = fields.dup.freeze
      super(@fields[:message], **context)
    end

    # @return [String, nil]
    def sqlstate = fields[:sqlstate]

    # @return [String, nil]
    def hint = fields[:hint]

    private

    def supplement = ErrorReport.new(fields).supplement

    # A repeated login would be refused again.
    def retriable_by_nature? = false
  end
end
