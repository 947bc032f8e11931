# frozen_string_literal: true

module Trunkline
  module Postgres
    # Parses names of functions that change their session, as users list them.
    module SessionFunctions # :nodoc:
      WORD = /[A-Za-z_\u{80}-\u{10FFFF}][A-Za-z0-9_$\u{80}-\u{10FFFF}]*/
      QUOTED = /"(?:[^"\0]|"")+"/
      NAME = /\A(?:(#{WORD}|#{QUOTED})\.)?(#{WORD}|#{QUOTED})\z/
      LONGEST = 63 # bytes
      private_constant :WORD, :QUOTED, :NAME, :LONGEST

      module_function

      # @param names [Array<String>] each "name" or "schema.name", with double quotes if SQL needs them
      # @return [Array<Array(String, String)>] schema, or nil, and name, as in the catalogue; frozen
      # @raise [ArgumentError]
      def parse(names)
        raise ArgumentError, "session_functions must be an Array of Strings, not #{Argument.shown(names)}" unless Array === names

        names.map { |name| split(name) }.freeze
      end

      # @param value [Array<String>, String, nil] from the configuration of a host; in a String, names are separated by commas
      # @return [Array<String>, :detect]
      def listed(value)
        return :detect if ["detect", :detect].include?(value)

        value.is_a?(String) ? value.split(",").map(&:strip).reject(&:empty?) : value || []
      end

      def split(name)
        match = NAME.match(name.encode(Encoding::UTF_8)) if String === name
        parts = match&.captures&.map { |part| part && plain(part) }
        return parts.freeze if parts && parts.compact.all? { |part| part.bytesize <= LONGEST }

        raise ArgumentError, "session_functions: #{Argument.shown(name)} is no name of a function, such as \"name\" or \"schema.name\", without arguments"
      rescue EncodingError
        raise ArgumentError, "session_functions: #{Argument.shown(name)} is not valid UTF-8"
      end

      # Letters beyond ASCII are not changed, as in the server.
      def plain(part)
        part.start_with?('"') ? -part[1..-2].gsub('""', '"') : -part.downcase(:ascii)
      end

      private_class_method :split, :plain
    end
    private_constant :SessionFunctions
  end
end
