# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Converts Ruby's values to parts of SQL.
      module Escaping
        # @param string [String]
        # @return [String] for use between single quotes
        # @raise [ArgumentError] it contains a zero byte
        def escape_string(string)
          string = string.to_s
          string = string.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::BINARY].include?(string.encoding)
          raise ArgumentError, "string contains null byte" if string.include?("\0")

          string = string.gsub("\\") { "\\\\" } if backslashes_escape? && string.include?("\\")
          string.include?("'") ? string.gsub("'", "''") : string.dup
        end
        alias escape escape_string

        # @return [String] quoted
        def escape_literal(string) = "'#{escape_string(string)}'"

        # @return [String] quoted
        def escape_identifier(name)
          raise ArgumentError, "string contains null byte" if name.include?("\0")

          "\"#{name.gsub('"', '""')}\""
        end

        # @param name [String, Array<String>] for example of a schema and a table
        # @return [String] quoted
        def quote_ident(name) = Array(name).map { |part| escape_identifier(part.to_s) }.join(".")

        # @param bytes [String]
        # @return [String] for use between single quotes
        def escape_bytea(bytes) = "#{"\\" if backslashes_escape?}\\x#{bytes.unpack1("H*")}"

        # @param text [String] as a server has sent it
        # @return [String] bytes
        def unescape_bytea(text) = Bytea.unescape(text)

        # @param password [String]
        # @param role [String]
        # @param algorithm [String, nil] "scram-sha-256" or "md5"; nil: the server's password_encryption
        # @return [String] the password for `ALTER ROLE ... PASSWORD`, so that the statement and logs do not contain it in clear text
        # @raise [TypeError] one of them is not a String
        # @raise [PG::Error] there is no such algorithm
        def encrypt_password(password, role, algorithm = nil)
          algorithm ||= parameter_status("password_encryption")
          EncryptedPassword.of(password, role, algorithm) || raise(failure(:Error, "unrecognized password encryption algorithm \"#{algorithm}\""))
        end

        private

        # Every session starts with standard_conforming_strings; a reserved one may have changed it.
        def backslashes_escape? = @session.reserved_setting("standard_conforming_strings") == "off"
      end
    end
  end
end
