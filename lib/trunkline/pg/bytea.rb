# frozen_string_literal: true

module Trunkline
  module PG
    # Converts bytes to and from the text formats of bytea.
    module Bytea # :nodoc:
      # @param text [String] as a server sends it: in hexadecimal digits; or with escapes, depending on bytea_output
      # @return [String] bytes
      def self.unescape(text)
        return [text[2..]].pack("H*") if text.start_with?("\\x")

        text.b.gsub(/\\([0-3][0-7]{2}|\\)/n) { $1 == "\\" ? "\\" : $1.oct.chr }.b
      end

      # @param bytes [String]
      # @return [String] for use between single quotes
      def self.escape(bytes) = "\\x#{bytes.unpack1("H*")}"
    end
    private_constant :Bytea
  end
end
