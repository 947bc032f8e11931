# frozen_string_literal: true

module Trunkline
  class Config
    # A password file, by the rules of libpq's manual ("The Password File"): lines of host:port:database:user:password, "*"
    # for any, and a backslash before what is to be taken as it is.
    class Passfile
      COLON = ":".ord
      BACKSLASH = "\\".ord
      OTHERS = 0o077
      private_constant :COLON, :BACKSLASH, :OTHERS

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
        wanted = [names(host), [host.port.to_s], [dbname], [user]]
        lines.each do |line|
          password = wanted.inject(line) { |rest, words| rest && words.lazy.filter_map { |word| after(word, rest) }.first }
          return unescape(password) if password
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
      def names(host) = [host.host, *("localhost" if Defaults::SOCKET_DIRECTORIES.include?(host.host))]

      # A field is no more than what matches: a colon in a name needs its backslash only where it would end too early.
      # @return [String, nil] what comes after the field; nil: it is not this word
      def after(word, line)
        return line.byteslice(2..) if line.start_with?("*:")

        position = 0
        word.each_byte do |byte|
          position += 1 if line.getbyte(position) == BACKSLASH
          return if line.getbyte(position) != byte

          position += 1
        end
        line.byteslice(position + 1..) if line.getbyte(position) == COLON
      end

      def unescape(password) = password[/\A(?:\\.|[^:])*/mn].gsub(/\\(.)/mn, '\1')
    end

    private_constant :Passfile
  end
end
