# frozen_string_literal: true

module Trunkline
  class Config
    # A password file, by the rules of libpq's manual ("The Password File"): lines of host:port:database:user:password,
    # "*" for any, a backslash before ":" and "\" in a field.
    class Passfile
      FIELD = /((?:\\.|[^:\\])*):/mn
      PASSWORD = /((?:\\.|[^:])*)/mn
      LINE = /\A#{FIELD}#{FIELD}#{FIELD}#{FIELD}#{PASSWORD}/mn
      OTHERS = 0o077
      private_constant :FIELD, :PASSWORD, :LINE, :OTHERS

      # @param path [String, nil]
      def initialize(path)
        @path = path
      end

      # Reads the file anew each time: passwords change.
      #
      # @param host [Host]
      # @param dbname [String]
      # @param user [String]
      # @return [String, nil] the password of the first line that fits
      # @raise [ConfigError] when there is a file that must not be used
      def password(host, dbname, user)
        wanted = [names(host), [host.port.to_s], [dbname.b], [user.b]]
        lines.each do |line|
          *fields, password = LINE.match(line)&.captures
          return unescape(password) if password && fields.zip(wanted).all? { |field, words| fits?(field, words) }
        end
        nil
      end

      private

      def lines
        return [] unless @path && File.exist?(@path)

        check(File.stat(@path))
        File.binread(@path).each_line(chomp: true).reject { |line| line.start_with?("#") }
      rescue SystemCallError # as if it were not there
        []
      end

      def check(stat)
        raise ConfigError, "password file #{@path} is not used: it is no plain file" unless stat.file?
        return if (stat.mode & OTHERS).zero?

        raise ConfigError, "password file #{@path} is not used: others than its owner have access to it (chmod 600 ends that)"
      end

      # The default directory of sockets is "localhost" too.
      def names(host) = [host.host.b, *("localhost" if Defaults::SOCKET_DIRECTORIES.include?(host.host))]

      def fits?(field, words) = field == "*" || words.include?(unescape(field))

      def unescape(text) = text.gsub(/\\(.)/mn, '\1')
    end

    private_constant :Passfile
  end
end
