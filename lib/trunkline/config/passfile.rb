# frozen_string_literal: true

module Trunkline
  class Config
    # A password file, by the rules of libpq's manual ("The Password File"): lines of host:port:database:user:password, "*" for any, and a backslash
    # as escape.
    class Passfile
      COLON = ":".ord
      BACKSLASH = "\\".ord
      OTHERS = 0o077 # permissions of others than its owner, as libpq checks them
      private_constant :COLON, :BACKSLASH, :OTHERS

      # @param path [String, nil]
      def initialize(path)
        @path = path
      end

      # Reads the file each time, as passwords change.
      #
      # @param host [Host]
      # @param dbname [String]
      # @param user [String]
      # @return [String, nil] the password of the first line that matches
      # @raise [ConfigError] the file's permissions are too open
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
      rescue SystemCallError # counts as missing
        []
      end

      def check(stat)
        raise ConfigError, "password file #{@path} is not used: it is no plain file" unless stat.file?
        return if (stat.mode & OTHERS).zero?

        raise ConfigError, "password file #{@path} is not used: others than its owner have access to it (chmod 600 ends that)"
      end

      # The default directories of sockets also match "localhost".
      def names(host) = [host.host, *("localhost" if Defaults::SOCKET_DIRECTORIES.include?(host.host))]

      # Compares a field with a word: a colon in a name needs its backslash only if the field would otherwise end too early.
      # @return [String, nil] what follows the field; nil: it does not match
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
