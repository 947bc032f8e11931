# frozen_string_literal: true

module Trunkline
  # Shortens a statement for a message, a log or statistics.
  module ShortenedSQL
    # Characters, the ellipsis included.
    LIMIT = 200

    # How much of the text after the shown part is searched for passwords.
    WINDOW = 4 * LIMIT

    # Statements with a password contain such a word, or the URI of a connection: for a role, a subscription, a user mapping, dblink.
    SECRETIVE = %r{passw(?:or)?d|passphrase|secret|://[^\s'@/]*:}i

    # The beginning of the first literal. All that follows is hidden: comments, escapes and adjacent literals can change the meaning of a later quote.
    LITERAL = /(?:\b(?:[ebnx]|u&))?'|\$(?:[[:alpha:]_][[:alnum:]_]*)?\$/i

    HIDDEN = "***"
    private_constant :SECRETIVE

    # @param sql [String] a statement, in any encoding
    # @return [String] valid UTF-8 on one line, at most {LIMIT} characters, {.discreet}
    def self.call(sql)
      line = discreet(sql.byteslice(0, WINDOW).force_encoding(Encoding::UTF_8).scrub).gsub(/(?:[[:space:]]|[[:cntrl:]])+/, " ").strip
      cut = line.length > LIMIT || sql.bytesize > WINDOW
      (cut ? "#{line[0, LIMIT - 1]}…" : line).freeze
    end

    # @param sql [String] a statement, valid in its encoding
    # @return [String] the same if nothing indicates a password; else it ends where its first literal began
    def self.discreet(sql)
      shown = readable(sql)
      shown.size < sql.size ? "#{shown}#{HIDDEN}" : sql
    end

    # @param sql [String] a statement, valid in its encoding
    # @return [String] its beginning, up to its first literal if something indicates a password; else all of it
    def self.readable(sql) = SECRETIVE.match?(sql) ? sql[0, sql.index(LITERAL) || sql.size] : sql
  end

  private_constant :ShortenedSQL
end
