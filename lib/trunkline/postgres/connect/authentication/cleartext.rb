# frozen_string_literal: true

module Trunkline
  module Postgres
    class Authentication
      # The password in clear text (pg_hba.conf: password, ldap, pam, radius).
      module Cleartext
        # @param password [String]
        # @return [String] payload of the PasswordMessage
        def self.response(password) = "#{password.b}\0"
      end

      private_constant :Cleartext
    end
  end
end
