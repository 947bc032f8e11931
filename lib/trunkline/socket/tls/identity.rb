# frozen_string_literal: true

require "ipaddr"
require "openssl"
require "socket"

module Trunkline
  module Socket
    module TLS
      # The names of a certificate, by libpq's rules: the alternative names apply; the common name applies only if none of them is of the host's own
      # kind (a name, an address). A "*." at the start matches one label. Case does not matter.
      class Identity
        # Tags of a GeneralName (RFC 5280).
        DNS_NAME = 2
        IP_ADDRESS = 7
        private_constant :DNS_NAME, :IP_ADDRESS

        # @param certificate [OpenSSL::X509::Certificate]
        def initialize(certificate)
          @certificate = certificate
        end

        # @param host [String] a name or an address
        # @return [Boolean] whether the certificate is for this host
        def of?(host)
          address = packed(host)
          names = alternative_names
          return true if names.any? { |kind, name| kind == IP_ADDRESS ? name == address : matches?(name, host) }
          return false if names.any? { |kind, _| kind == (address ? IP_ADDRESS : DNS_NAME) }

          common_name ? matches?(common_name, host) : false
        end

        # @return [String] the first name, and how many others there are
        def to_s
          names = alternative_names.map { |kind, name| kind == IP_ADDRESS ? IPAddr.new_ntoh(name).to_s : name }
          first, *others = [*names, *common_name].uniq
          return "no name" unless first

          "#{first.scrub.inspect}#{" (and #{others.size} other names)" unless others.empty?}"
        end

        private

        def alternative_names
          extension = @certificate.extensions.find { |candidate| candidate.oid == "subjectAltName" } or return []
          names = OpenSSL::ASN1.decode(extension.value_der).value.map { |name| [name.tag, name.value] }
          names.select { |kind, name| kind == DNS_NAME || (kind == IP_ADDRESS && [4, 16].include?(name.bytesize)) }
        end

        def common_name = @certificate.subject.to_a.find { |type, _| type == "CN" }&.at(1)

        # A NUL would end the name for the authority that has signed it, and not here.
        def matches?(name, host)
          return false if name.include?("\0")

          name.casecmp?(host) || (name.start_with?("*.") && name.size > 2 && name[1..].casecmp?(host[/\..*/m].to_s) && host[0] != ".")
        end

        # As libpq, accepts an address in any notation of the operating system.
        def packed(host)
          address = Addrinfo.getaddrinfo(host, nil, nil, :STREAM, nil, ::Socket::AI_NUMERICHOST).first.ip_address
          IPAddr.new(address).hton unless address.include?("%")
        rescue SocketError
          nil
        end
      end
    end
  end
end
