# frozen_string_literal: true

# Dalli's own tests of its behaviour with a server, on this client under its name: rake hosts:dalli[/path/of/dalli]

require_relative "../../support/memcached_servers"
require "logger"
require "minitest/autorun"
require "minitest/mock"
require "securerandom"
require "trunkline"

# This client as Dalli.
module Dalli
  DalliError = Trunkline::Error
  RingError = NetworkError = RetryableNetworkError = Trunkline::ConnectionError
  MarshalError = Trunkline::Memcached::MarshalError
  UnmarshalError = Trunkline::Memcached::UnmarshalError
  ServerError = Trunkline::Memcached::ServerError
  ValueOverMaxSize = Trunkline::Memcached::ValueTooLarge

  def self.logger = @logger ||= Logger.new(IO::NULL)

  # Constants of the protocol that tests ask for.
  module Protocol
    module Meta
      TERMINATOR = "\r\n"
    end
  end

  # Takes Dalli's options where they mean something here.
  class Client < Trunkline::Memcached::Client
    OPTIONS = %i[namespace namespace_separator digest_class expires_in serializer compressor compress compression_min_size raw
                 failover down_retry_delay cache_nils ssl_context].freeze

    def initialize(servers = nil, options = {})
      @given = [servers, options]
      super([*servers], timeout: options[:socket_timeout] || 20, **options.slice(*OPTIONS))
    end

    # Dalli connects again afterwards.
    def close
      super
      initialize(*@given)
    end

    alias reset close

    # What is not waited for there is waited for here.
    def multi = yield

    def fetch_with_lock(key, ttl: nil, lock_ttl: 30, recache_threshold: nil, req_options: nil, &block)
      raise ArgumentError, "a block is needed" unless block

      fetch(key, ttl, { lock_ttl: lock_ttl, recache: recache_threshold, **req_options.to_h }.compact, &block)
    end
  end
end

# Stands for Dalli's own, which starts servers of newer versions than this machine may have.
module MemcachedManager
  def self.supported_protocols = [:meta]
  def self.version = "1.6.18"
end

class Minitest::Spec
  def memcached_persistent(_protocol = :meta, _place = nil, _arguments = "", options = {})
    server = Trunkline::MemcachedServers.server
    client = Dalli::Client.new(server.address, options)
    client.flush_all
    yield client, server.port
  ensure
    client&.close
  end

  alias memcached memcached_persistent

  def single_server_client(_port, options = {}) = Dalli::Client.new(Trunkline::MemcachedServers.server.address, options)

  def assert_error(kind, pattern = nil, &block)
    error = assert_raises(kind, &block)
    assert_match(pattern, error.message) if pattern
  end

  def valid_cas?(version) = version.is_a?(Integer) && version.positive?
  alias op_cas_succeeds valid_cas?
  alias op_replace_succeeds valid_cas?
  alias op_addset_succeeds valid_cas?

  def with_nil_logger = yield
end

# Files of behaviour; the others are about Dalli's insides, its protocol objects, or faults that it injects there.
FILES = %w[cas compressor encoding marshal memcached_admin namespace_and_key operations pipelined_delete pipelined_get pipelined_set
           serializer thundering_herd ttl].freeze

# Parts of the names of suites and tests that are left out, and why.
EXCLUDED = {
  /request formatter/ => "an object of Dalli's protocol",
  /delete_stale|get_with_recache|pipeline_next_responses|pipelined_get_interleaved|multi-server|retryable/ => "reaches into Dalli's servers",
  /efaults? to (Marshal|Dalli::Compressor)|custom (serializer|compressor)|GzipCompressor/ => "asks Dalli's servers for their options, or a server on a port of its own",
  /get_with_metadata/ => "not offered: fetch with lock_ttl and recache is what it is for",
  /fastpath/ => "Strings are not serialized where they are plain, whatever the options; others are, so that they come back equal",
  /raw mode|no serialization/ => "numbers can be stored raw too, as memcached counts them; the message is another"
}.freeze

folder = File.join(ENV.fetch("DALLI"), "test")
$LOADED_FEATURES.push(File.realpath("#{folder}/helper.rb"))
$LOADED_FEATURES.push("dalli.rb")
FILES.each { |name| require "#{folder}/integration/test_#{name}" }

ObjectSpace.each_object(Minitest::Spec.singleton_class) do |suite|
  suite.instance_methods(false).grep(/\Atest_/).each do |name|
    suite.send(:undef_method, name) if EXCLUDED.keys.any? { |part| "#{suite} #{name}".match?(part) }
  end
end
