# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/tls_authority"

module Trunkline
  module Postgres
    class AuthenticationTest < TestCase
      def authentication(password = "secret", **demands) = Authentication.new(user: "ann", password: -> { password }, **demands)

      def request(code, data = "") = [code].pack("N") + data.b

      def assert_refused(error_class, message, authentication, *requests)
        *before, last = requests
        before.each { |it| authentication.answer(it) }
        error = assert_raises(error_class) { authentication.answer(last) }
        assert_equal message, error.message
        refute_predicate error, :retriable?
      end

      def test_trust_requests_nothing_and_never_sees_the_password
        trusting = Authentication.new(user: "ann", password: -> { flunk "asked for the password" })

        refute_predicate trusting, :complete?
        assert_equal "", trusting.answer(request(0))
        assert_predicate trusting, :complete?
      end

      def test_cleartext
        asked = authentication

        assert_equal "p\0\0\0\x0Bsecret\0".b, asked.answer(request(3))
        refute_predicate asked, :complete?
        asked.answer(request(0))
        assert_predicate asked, :complete?
      end

      def test_md5
        assert_equal "p\0\0\0\x28md59009ce60b9ca97f1e752376843d1309e\0".b, authentication.answer(request(5, "\x01\x02\x03\x04"))
      end

      def test_scram
        asked = authentication
        server = BackendMessages::ScramServer.new("secret")
        first = asked.answer(request(10, "X\0SCRAM-SHA-256\0\0"))
        second = asked.answer(request(11, server.challenge(first.byteslice(5..))))

        assert_equal "p", first[0]
        assert_equal "", asked.answer(request(12, server.final(second.byteslice(5..))))
        refute_predicate asked, :complete?
        asked.answer(request(0))
        assert_predicate asked, :complete?
      end

      def test_scram_bound_to_the_certificate
        certificate = TLSAuthority.shared.issue("bound")
        binding = OpenSSL::Digest.digest("SHA256", certificate.to_der)
        { "prefer" => "p=tls-server-end-point,,", "require" => "p=tls-server-end-point,,", "disable" => "n,," }.each do |wish, header|
          server = BackendMessages::ScramServer.new("secret", binding: binding)
          asked = authentication(channel_binding: wish, certificate: certificate)
          first = asked.answer(request(10, "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0")).byteslice(5..)
          final = asked.answer(request(11, server.challenge(first))).byteslice(5..)

          assert_equal header, server.header
          assert_equal "", asked.answer(request(12, server.final(final)))
        end
      end

      # The server, which offered a bound one, refuses a proof that says there was no such offer.
      def test_an_offer_that_was_taken_out_on_the_way
        server = BackendMessages::ScramServer.new("secret")
        asked = authentication(certificate: TLSAuthority.shared.issue("bound"))
        server.challenge(asked.answer(request(10, "SCRAM-SHA-256\0\0")).byteslice(5..))

        assert_equal "y,,", server.header
      end

      def test_channel_binding_is_required
        certificate = TLSAuthority.shared.issue("bound")
        { request(0) => "the server does not use SCRAM authentication", request(3) => "the server does not use SCRAM authentication",
          request(5, "salt") => "the server does not use SCRAM authentication",
          request(10, "SCRAM-SHA-256\0\0") => "the server does not offer it for its certificate" }.each do |asked, reason|
          assert_refused ConnectionError, "channel_binding=require cannot be met: #{reason}",
                         authentication(channel_binding: "require", certificate: certificate), asked
        end
      end

      def test_only_the_allowed_methods
        requests = { "password" => request(3), "md5" => request(5, "salt"), "scram-sha-256" => request(10, "SCRAM-SHA-256\0\0"), "none" => request(0) }
        requests.each do |method, asked|
          assert authentication(allowed: [method]).answer(asked)
          what = method == "none" ? "no authentication" : "authentication by #{method}"
          assert_refused ConnectionError, "the server requests #{what}, and require_auth does not allow that",
                         authentication(allowed: requests.keys - [method]), asked
        end
        assert_refused ConnectionError, "the server requests no authentication, and require_auth does not allow that", authentication(allowed: %w[gss oauth]),
                       request(0)
      end

      def test_the_end_of_an_allowed_exchange_is_allowed
        asked = authentication(allowed: %w[md5])
        asked.answer(request(5, "salt"))
        asked.answer(request(0))

        assert_predicate asked, :complete?
      end

      def test_no_password_where_one_is_wanted
        message = 'the server requests a password for user "ann", and none is given'

        [nil, ""].each do |password|
          [request(3), request(5, "salt"), request(10, "SCRAM-SHA-256\0\0")].each do |asked|
            assert_refused ConnectionError, message, authentication(password), asked
          end
        end
      end

      def test_a_server_that_skips_its_own_proof
        server = BackendMessages::ScramServer.new("secret")
        asked = authentication
        first = asked.answer(request(10, "SCRAM-SHA-256\0\0"))

        assert_refused ProtocolError, "unexpected authentication request 0", asked, request(0)
        asked.answer(request(11, server.challenge(first.byteslice(5..))))
        assert_refused ProtocolError, "unexpected authentication request 0", asked, request(0)
      end

      def test_requests_out_of_turn
        [[request(11, "r=x")], [request(12, "v=x")], [request(3), request(3)], [request(3), request(5, "salt")],
         [request(10, "SCRAM-SHA-256\0\0"), request(3)]].each do |requests|
          assert_refused ProtocolError, "unexpected authentication request #{requests.last.unpack1("N")}", authentication, *requests
        end
      end

      def test_methods_that_are_not_there
        { 2 => "Kerberos V5", 7 => "GSSAPI", 9 => "SSPI", 99 => "an unknown method (99)" }.each do |code, name|
          assert_refused ConnectionError, "the server requests authentication by #{name}, which is not supported; supported are " \
                                          "password, md5 and scram-sha-256", authentication, request(code)
        end
      end

      def test_mechanisms_that_are_not_there
        assert_refused ConnectionError, "the server offers OAUTHBEARER, X? only; supported is SCRAM-SHA-256", authentication,
                       request(10, "OAUTHBEARER\0X\n\0\0")
        assert_refused ConnectionError, "the server requests authentication by OAuth, which is not supported; supported are password, md5 and " \
                                        "scram-sha-256", authentication, request(10, "OAUTHBEARER\0\0")
      end

      def test_a_salt_of_the_wrong_size
        assert_refused ProtocolError, "an MD5 salt has 4 bytes, not 3", authentication, request(5, "abc")
      end

      def test_inspect_has_no_password
        refute_includes authentication.inspect, "secret"
      end
    end
  end
end
