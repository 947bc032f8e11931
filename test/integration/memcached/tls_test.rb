# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "support/memcached_servers"
require "support/schedulers/hosts"
require "support/scripted_memcached"
require "support/tls_authority"

module Trunkline
  module Memcached
    # TLS to a real server.
    class TLSTest < TestCase
      include Hosts::Async
      include MemcachedServers

      def test_everything_goes_encrypted
        with_encrypted_server do |server|
          in_host do
            Trunkline.memcached(server.address, ssl_context: trusting, timeout: 20, compress: false) do |cache|
              large = Random.new(1).bytes(300_000)
              values = side_by_side(1..30) { |number| cache.set("key#{number}", [number, large]) && cache.get("key#{number}") == [number, large] }
              assert_equal [true], values.uniq
              assert_equal 30, cache.get_multi((1..30).map { |number| "key#{number}" }).size
            end
          end
        end
      end

      def test_a_server_that_cannot_prove_its_identity
        with_encrypted_server(names: ["DNS:another.example"]) do |server|
          error = assert_raises(Trunkline::ConnectionError) { Trunkline.memcached(server.address, ssl_context: trusting, timeout: 20) { |cache| cache.get("key") } }
          assert_match(/TLS failed: certificate verify failed/, error.message)
        end
      end

      def test_the_name_is_checked_whatever_the_context_says
        with_encrypted_server(names: ["DNS:another.example"]) do |server|
          context = OpenSSL::SSL::SSLContext.new
          context.verify_mode = OpenSSL::SSL::VERIFY_PEER
          context.ca_file = TLSAuthority.shared.root
          error = assert_raises(Trunkline::ConnectionError) { Trunkline.memcached(server.address, ssl_context: context, timeout: 20) { |cache| cache.get("key") } }
          assert_match(/TLS failed/, error.message)
        end
      end

      def test_a_server_that_knows_no_tls
        Trunkline.memcached(memcached.address, ssl_context: trusting, timeout: 20) do |cache|
          assert_match(/TLS failed/, assert_raises(Trunkline::ConnectionError) { cache.get("key") }.message)
        end
      end

      def test_a_server_that_does_not_shake_hands
        ScriptedMemcached.open(->(*) {}) do |server|
          Trunkline.memcached(server.address, ssl_context: trusting, timeout: 0.2) { |cache| assert_raises(Deadline) { cache.get("key") } }
        end
      end

      private

      def trusting
        OpenSSL::SSL::SSLContext.new.tap { |context| context.set_params(ca_file: TLSAuthority.shared.root) }
      end

      # The server's account cannot read the authority's files.
      def with_encrypted_server(names: ["IP:127.0.0.1"], &block)
        TLSAuthority.shared.issue("memcached", names: names)
        folder = Bench::Keeper.instance.folder
        files = %w[crt key].map { |kind| File.join(folder, "memcached.#{kind}").tap { |file| install("memcached.#{kind}", file) } }
        with_memcached(arguments: ["-Z", "-o", "ssl_chain_cert=#{files.first},ssl_key=#{files.last}"], &block)
      end

      def install(name, file)
        FileUtils.rm_f(file)
        FileUtils.cp(TLSAuthority.shared.path(name), file)
        FileUtils.chmod(0o644, file)
      end
    end
  end
end
