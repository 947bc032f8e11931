# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    class Authentication
      class SCRAMTest < TestCase
        # Computed by Python's hashlib for the messages of {#test_known_messages}.
        KNOWN_PROOF = "gkgKly5AfFSXevOSO6J79Ye4uLLcD7SOmmuUKk/cpM8="
        KNOWN_SIGNATURE = "mQn0qyXW+MlcoMrU//3buZOp7DGmf7BhxRWa/auOIxk="
        private_constant :KNOWN_PROOF, :KNOWN_SIGNATURE

        def setup
          @client = SCRAM.new("pencil", nonce: "abc")
          @server = BackendMessages::ScramServer.new("pencil")
          @challenge = challenge
        end

        def test_known_messages
          assert_equal "n,,n=,r=abc", @client.first
          assert_equal "c=biws,r=abcdef,p=#{KNOWN_PROOF}", @client.final("r=abcdef,s=c2FsdA==,i=4096")
          assert_nil @client.verify("v=#{KNOWN_SIGNATURE}")
        end

        def test_both_sides_prove_themselves
          signature = @server.final(@client.final(@challenge))

          assert signature, "the server does not accept the proof"
          assert_nil @client.verify(signature)
        end

        def test_a_new_nonce_every_time
          refute_equal SCRAM.new("x").first, SCRAM.new("x").first
        end

        def test_a_server_that_does_not_know_the_password
          @client.final(@challenge)

          ["v=#{["x" * 32].pack("m0")}", "v=#{["short"].pack("m0")}"].each do |wrong|
            assert_refused("the server has not proven that it knows the password: it may be another server") { @client.verify(wrong) }
          end
        end

        def test_a_signature_that_is_none
          @client.final(@challenge)

          assert_refused("the server refused: no reason given") { @client.verify("v=***") }
          assert_refused("the server refused: no reason given") { @client.verify("") }
          assert_refused("the server refused: invalid-proof") { @client.verify("e=invalid-proof,x=y") }
        end

        def test_a_signature_before_the_challenge
          assert_refused("the server sent its final message first") { @client.verify("v=AAAA") }
        end

        def test_a_nonce_that_does_not_continue_ours
          ["r=abc", "r=abd1", "r=ab", "r=xabc"].each do |nonce|
            assert_refused("the server's nonce does not begin with the client's") { @client.final("#{nonce},s=c2FsdA==,i=4096") }
          end
        end

        def test_challenges_that_make_no_sense
          ["", "r=abcd", "r=abcd,s=c2FsdA==", "r=abcd,s=,i=1", "r=abcd,s=*,i=1", "r=abcd,s=c2FsdA==,i=0", "r=abcd,s=c2FsdA==,i=-1",
           "r=abcd,s=c2FsdA==,i=x", "r=abcd,s=c2FsdA==,i=1e9", "m=ext,r=abcd,s=c2FsdA==,i=1", "r=abcd\n,s=c2FsdA==,i=1",
           "r=abcd,s=c2FsdA==,i=99999999999"].each do |challenge|
            assert_refused("the server's first message is malformed") { @client.final(challenge) }
          end
        end

        def test_more_work_than_is_reasonable
          assert_refused("the server requests 1000001 iterations, more than 1000000") do
            @client.final("r=abcd,s=c2FsdA==,i=1000001")
          end
        end

        def test_inspect_has_no_password
          refute_includes @client.inspect, "pencil"
        end

        private

        def challenge = @server.challenge("SCRAM-SHA-256\0\0\0\0\0#{@client.first}")

        def assert_refused(message, &block)
          assert_equal "SCRAM authentication: #{message}", assert_raises(ProtocolError, &block).message
        end
      end
    end
  end
end
