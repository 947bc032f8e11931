# frozen_string_literal: true

require "digest/md5"

module Trunkline
  module Postgres
    class Authentication
      # The password hashed with the user's name, hashed again with the connection's salt (pg_hba.conf: md5).
      module MD5
        # @param user [String]
        # @param password [String]
        # @param salt [String] four bytes
        # @return [String] payload of the PasswordMessage
        def self.response(user, password, salt)
          stored = Digest::MD5.hexdigest(password.b + user.b)
          "md5#{Digest::MD5.hexdigest(stored + salt)}\0"
        end
      end

      private_constant :MD5
    end
  end
end
