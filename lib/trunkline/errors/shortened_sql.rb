# frozen_string_literal: true

module Trunkline
  # Makes a statement fit to be shown in a message, a log or statistics.
  module ShortenedSQL
    # Characters, the ellipsis included.
    LIMIT = 200

    # Of what is behind the part that is shown, no more than this is looked at for passwords.
    WINDOW = 4 * LIMIT

    # What has a password in it says so, or is the URI of a connection: of a role, a subscription, a user mapping, dblink.
    SECRETIVE = %r{passw(?:or)?d|passphrase|secret|://[^\s'@/]*:}i

    # Where the first literal begins. All behind is hidden: comments, escapes and literals that go on can make anything of a later
    # quote.
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
    # @return [String] the same one where nothing in it speaks of a password; else it ends where its first literal began
    def self.discreet(sql)
      shown = readable(sql)
      shown.size < sql.size ? "#{shown}#{HIDDEN}" : sql
    end

    # @param sql [String] a statement, valid in its encoding
    # @return [String] its beginning, up to its first literal where something in it speaks of a password; else all of it
    def self.readable(sql) = SECRETIVE.match?(sql) ? sql[0, sql.index(LITERAL) || sql.size] : sql
  end

  private_constant :ShortenedSQL
end
