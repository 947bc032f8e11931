# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Strings in the encoding that the server expects.
      module StringText
        class << self
          # @param string [String] in any encoding; binary ones are read as UTF-8
          # @param parameter [Parameter] named in errors
          # @return [String] frozen UTF-8 (or US-ASCII) without NUL
          # @raise [EncodingError] its bytes are invalid, or have no counterpart in UTF-8
          # @raise [ArgumentError] it contains a NUL
          def utf8(string, parameter)
            text = transcode(string, parameter)
            unless text.valid_encoding?
              raise EncodingError, "#{parameter.name} is not valid #{text.encoding}; a bytea takes a binary String, see String#b"
            end
            raise ArgumentError, "#{parameter.name} holds a NUL character, which text cannot" if text.include?("\0")

            frozen(text)
          end

          # @return [String] the text form of a bytea within other literals: "\\x00ff"
          def hex(string)
            "\\x#{string.unpack1("H*")}"
          end

          # @return [String] that cannot change while it waits to be sent
          def frozen(string)
            string.frozen? ? string : string.dup.freeze
          end

          private

          def transcode(string, parameter)
            case string.encoding
            when Encoding::UTF_8, Encoding::US_ASCII then string
            when Encoding::BINARY then string.dup.force_encoding(Encoding::UTF_8)
            else string.encode(Encoding::UTF_8)
            end
          rescue EncodingError
            raise EncodingError, "#{parameter.name} cannot be converted to UTF-8: it is not valid #{string.encoding}, or has characters that Unicode does not have"
          end
        end
      end
    end
  end
end
