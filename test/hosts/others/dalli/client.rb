# frozen_string_literal: true

# This client as Dalli.
module Dalli
  DalliError = Trunkline::Error
  MarshalError = Trunkline::Memcached::MarshalError
  UnmarshalError = Trunkline::Memcached::UnmarshalError
  ServerError = Trunkline::Memcached::ServerError
  ValueOverMaxSize = Trunkline::Memcached::ValueTooLarge

  # What a call ends with whose server cannot be reached, or does not answer.
  module NetworkError
    KINDS = [Trunkline::ConnectionError, Trunkline::NotSent, Trunkline::Indeterminate, Trunkline::Deadline].freeze
    private_constant :KINDS

    def self.===(error) = KINDS.any? { |kind| error.is_a?(kind) }
  end
  RingError = NetworkError

  class << self
    # Tests silence it, or listen to it; this client has none.
    attr_writer :logger

    def logger = @logger ||= Logger.new(IO::NULL)
  end

  # What ends a line, as tests call it.
  module Protocol
    module Meta
      TERMINATOR = "\r\n"
    end
  end

  QUIET = :dalli_quiet

  # Takes servers and options as Dalli does.
  class Client < Trunkline::Memcached::Client
    def initialize(servers = nil, options = {})
      @given = [servers, options]
      super([*servers], **options)
    end

    # Tests look into the thread for Dalli's mark.
    def quiet(&block)
      Thread.current[QUIET] = true
      super
    ensure
      Thread.current[QUIET] = nil
    end
    alias multi quiet

    # Dalli connects again afterwards.
    def close
      super
      initialize(*@given)
    end
  end
end
