# frozen_string_literal: true

module Trunkline
  module Postgres
    class Authentication
      # Normalizes a password to the form that both sides hash (RFC 4013, a profile of stringprep, RFC 3454), so that the same text typed on two
      # systems is the same password.
      #
      # PostgreSQL uses passwords that are not valid UTF-8, or that the profile forbids, unchanged; so does this.
      module SASLprep
        SPACES = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/
        NOTHING = /[\u00AD\u034F\u1806\u180B-\u180D\u200C\u200D\u2060\uFE00-\uFE0F\uFEFF]/

        # Controls, private use, noncharacters, surrogates (not valid UTF-8 anyway), what is inappropriate in plain text
        # or canonical representation, what changes display, tags.
        FORBIDDEN = /
          [\u0000-\u001F\u007F-\u009F\u06DD\u070F\u180E\u2028\u2029\u2061-\u2063\u206A-\u206F\uFFF9-\uFFFD] |
          [\u{1D173}-\u{1D17A}\uE000-\uF8FF\u{F0000}-\u{10FFFF}\uFDD0-\uFDEF\u2FF0-\u2FFB\u0340\u0341\u200E] |
          [\u200F\u202A-\u202E\u{E0001}\u{E0020}-\u{E007F}]
        /x

        # The profile is defined for Unicode 3.2 and forbids later code points.
        LATER = /\P{Age=3.2}/

        # Letters written from right to left (table D.1 of RFC 3454).
        RIGHT_TO_LEFT = /
          [\u05BE\u05C0\u05C3\u05D0-\u05EA\u05F0-\u05F4\u061B\u061F\u0621-\u063A\u0640-\u064A\u066D-\u066F] |
          [\u0671-\u06D5\u06DD\u06E5\u06E6\u06FA-\u06FE\u0700-\u070D\u0710\u0712-\u072C\u0780-\u07A5\u07B1\u200F] |
          [\uFB1D\uFB1F-\uFB28\uFB2A-\uFB36\uFB38-\uFB3C\uFB3E\uFB40\uFB41\uFB43\uFB44\uFB46-\uFBB1\uFBD3-\uFD3D] |
          [\uFD50-\uFD8F\uFD92-\uFDC7\uFDF0-\uFDFC\uFE70-\uFE74\uFE76-\uFEFC]
        /x

        # Letters written from left to right, by their nature instead of by table D.2: apart from right-to-left ones and
        # modifiers without a direction these are all letters, spacing marks and letter-like numbers and symbols.
        LEFT_TO_RIGHT = /[[\p{L}\p{Mc}\p{Nl}]&&[^\u02B9\u02BA\u02C2-\u02CF]]/
        private_constant :SPACES, :NOTHING, :FORBIDDEN, :LATER, :RIGHT_TO_LEFT, :LEFT_TO_RIGHT

        module_function

        # @param password [String]
        # @return [String] the prepared password as bytes
        def call(password)
          text = password.dup.force_encoding(Encoding::UTF_8)
          return password.b if text.ascii_only? || !text.valid_encoding?

          prepared = text.gsub(SPACES, " ").gsub(NOTHING, "").unicode_normalize(:nfkc)
          allowed?(prepared) ? prepared.b : password.b
        end

        def allowed?(text)
          !text.empty? && !text.match?(FORBIDDEN) && !text.match?(LATER) && one_direction?(text)
        end

        def one_direction?(text)
          return true unless text.match?(RIGHT_TO_LEFT)

          text[0].match?(RIGHT_TO_LEFT) && text[-1].match?(RIGHT_TO_LEFT) &&
            !text.gsub(RIGHT_TO_LEFT, "").match?(LEFT_TO_RIGHT)
        end

        private_class_method :allowed?, :one_direction?
      end

      private_constant :SASLprep
    end
  end
end
