# frozen_string_literal: true

module Trunkline
  module Postgres
    # The write position of a cluster at one moment: {Client#position} returns it as a String, and `after:` of {Client#replica} takes that. It has 40
    # characters at most, digits, lower-case letters and points, so it needs no escaping in a cookie, a header or a URL.
    #
    # system:: [Integer] the system identifier, which all copies of a cluster share
    # timeline:: [Integer] which each promotion increases
    # lsn:: [Integer] bytes of the write-ahead log
    Position = Struct.new(:system, :timeline, :lsn) do
      # @param text [String] of {Client#position}
      # @return [Position]
      # @raise [ArgumentError] the text is invalid
      # @raise [TypeError] it is not a String
      def self.parse(text)
        raise TypeError, "a position must be a String, as db.position returns it, not #{text.class}" unless text.is_a?(String)

        match = self::TEXT.match(text) if text.bytesize <= self::LONGEST && text.encoding.ascii_compatible? && text.ascii_only?
        numbers = match&.captures&.map { |digits| digits.to_i(36) }
        return new(*numbers).freeze if numbers&.zip(self::LIMITS)&.all? { |number, limit| number < limit }

        raise ArgumentError, "this is no position as db.position returns it: #{text.byteslice(0, self::LONGEST).inspect}"
      end

      # @param row [Array(Integer, Integer, Integer)]
      # @return [Position, nil] nil: the server does not report all of it
      def self.of(row) = (new(*row).freeze if row.all?)

      # @return [String] as {Client#position} returns it
      def to_s = "#{self.class::VERSION}.#{to_a.map { |number| number.to_s(36) }.join(".")}".freeze

      # @return [String] the LSN in the server's notation
      def lsn_text = format("%X/%X", lsn >> 32, lsn & 0xffffffff)

      # @param other [Position, nil]
      # @return [Position] the later one
      def later(other) = other.nil? || (timeline <=> other.timeline).nonzero?.then { |by| by || (lsn <=> other.lsn) } >= 0 ? self : other
    end

    Position.const_set(:VERSION, "1")
    Position.const_set(:TEXT, /\A1\.([0-9a-z]{1,13})\.([0-9a-z]{1,7})\.([0-9a-z]{1,13})\z/)
    Position.const_set(:LIMITS, [2**64, 2**32, 2**64].freeze)
    Position.const_set(:LONGEST, 40)

    # Queries a primary for the position up to which its transactions are committed. The names of its WAL files begin with its timeline.
    Position.const_set(:SQL, <<~QUERY.freeze)
      SELECT system_identifier,
        ('x' OPERATOR(pg_catalog.||) pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::pg_catalog.bit(32)::pg_catalog.int8,
        (pg_catalog.pg_current_wal_insert_lsn() OPERATOR(pg_catalog.-) '0/0')::pg_catalog.int8
      FROM pg_catalog.pg_control_system()
    QUERY

    private_constant :Position
  end
end
