# frozen_string_literal: true

module Trunkline
  class Config
    # Parses connection URIs as libpq does, which is more tolerant than RFC 3986: every part is optional, and a host that is a directory is
    # percent-encoded or given as a query parameter.
    #
    # Messages never contain the URI: a misplaced part may be of a password.
    class URI
      PREFIX = %r{\Apostgres(?:ql)?://}

      # Up to the first "@", unless a "/" comes before it.
      USERINFO = %r{\A(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@}
      HOST = %r{\A(?:\[(?<bracketed>[^\]]*)\](?=[:/?,]|\z)|(?<plain>(?!\[)[^:/?,]*))}
      PORT = %r{\A:(?<port>[^/?,]*)}
      DBNAME = %r{\A/(?<dbname>[^?]*)}
      SPACES_AROUND = /\A *+([^ ]*+) *+\z/
      private_constant :PREFIX, :USERINFO, :HOST, :PORT, :DBNAME, :SPACES_AROUND

      # @param string [String]
      # @return [Boolean] whether this is a URI rather than keywords and values
      def self.match?(string) = PREFIX.match?(string)

      # @param string [String] "postgresql://user:password@host:port/dbname?name=value&...", as bytes
      # @return [Hash{String => String}] the given options, decoded, not checked yet
      # @raise [ConfigError] the syntax is invalid
      def self.parse(string) = new(string).parse

      def initialize(string)
        @rest = string.sub(PREFIX, "")
      end

      def parse
        parts = [*take(USERINFO), *take_hosts, *take(DBNAME)].to_h { |name, text| [name, decode(text)] }
        parts.merge(parameters)
      end

      private

      # Removes the match from the front.
      # @return [Hash{String => String}] the named groups that are not empty
      def take(pattern)
        match = pattern.match(@rest)
        return {} unless match

        @rest = match.post_match
        match.named_captures.reject { |_, text| text.nil? || text.empty? }.each_value { |text| refuse_at_sign(text) }
      end

      # The rest shares the memory of the whole, so a long list takes linear time.
      def skip(character) = @rest.start_with?(character) && @rest = @rest.byteslice(1..)

      # Names and ports of several hosts are collected in separate lists.
      def take_hosts
        hosts = [take_host]
        hosts << take_host while skip(",")
        %w[host port].to_h { |name| [name, hosts.map { |host| host[name] }.join(",")] }.reject { |_, list| list.empty? }
      end

      def take_host
        found = HOST.match(@rest) or bad('an IPv6 address must stand in "[" and "]" before ":" or "/"')
        bad("the IPv6 address in brackets is empty") if found[:bracketed]&.empty?
        { "host" => take(HOST).values.first, **take(PORT) }
      end

      def parameters
        return {} unless skip("?")

        @rest.each_line("&", chomp: true).each_with_object({}) do |pair, found|
          name, text, extra = pair.split("=", -1)
          bad('a query parameter is "name=value", with "=" in the value written as %3D') if text.nil? || extra
          name, text = ssl_switch(decode(name), decode(text))
          Options.store(found, name, text)
        end
      end

      # JDBC's option for encryption.
      def ssl_switch(name, text) = name == "ssl" && text == "true" ? %w[sslmode require] : [name, text]

      # Since libpq 17, spaces around a part are ignored, and spaces within one are an error.
      def decode(text)
        text = text[SPACES_AROUND, 1] or bad("spaces are written %20")
        bad('"%" must be followed by two hexadecimal digits') if text.match?(/%(?!\h\h)/)
        bad("%00 is not allowed") if text.include?("%00")
        text.gsub(/%(\h\h)/) { Regexp.last_match(1).hex.chr }
      end

      # It is more likely the end of a password than part of the name of a host or database.
      def refuse_at_sign(text)
        bad('"@", ":" and "/" in a user name or password are written %40, %3A and %2F') if text.include?("@")
      end

      def bad(what)
        raise ConfigError, "bad connection URI: #{what}"
      end
    end

    private_constant :URI
  end
end
