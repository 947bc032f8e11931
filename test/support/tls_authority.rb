# frozen_string_literal: true

require_relative "../../bench/support/servers/tls_authority"

module Trunkline
  TLSAuthority = Bench::TLSAuthority
end
