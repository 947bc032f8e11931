# frozen_string_literal: true

module Trunkline
  # Makes a statement fit to be shown in a message or a log.
  module ShortenedSQL
    # Characters, the ellipsis included.
    LIMIT = 200

    # More than this is not looked at, however long the statement is.
    WINDOW = 4 * LIMIT

    # CREATE ROLE and its kin carry a password as a literal. An unclosed literal counts: the window may have cut it.
    PASSWORD = /\b(password)\s+(?:(?:e|u&)?'(?:[^'\\]|''|\\.)*+'?|(\$\w*\$).*?(?:\2|\z))/im

    private_constant :WINDOW, :PASSWORD

    # @param sql [String] a statement, in any encoding
    # @return [String] valid UTF-8 on one line, at most {LIMIT} characters, role passwords replaced by ***
    def self.call(sql)
      line = sql.byteslice(0, WINDOW).force_encoding(Encoding::UTF_8).scrub
                .gsub(PASSWORD, "\\1 ***").gsub(/(?:[[:space:]]|[[:cntrl:]])+/, " ").strip
      cut = line.length > LIMIT || sql.bytesize > WINDOW
      (cut ? "#{line[0, LIMIT - 1]}…" : line).freeze
    end
  end

  private_constant :ShortenedSQL
end
