# frozen_string_literal: true

require "tmpdir"

module Trunkline
  module Bench
    # Where the private servers have their folders: where temporary files are, or in the folder that TRUNKLINE_SERVER_FOLDERS names, while that has room.
    module ServerFolders
      NAME = "TRUNKLINE_SERVER_FOLDERS"
      # Bytes: a process starts four servers at most at once, of 30 to 100 MB each.
      ROOM = 1 << 30
      private_constant :ROOM

      module_function

      # @return [String]
      def place
        given = ENV.fetch(NAME, "")
        !given.empty? && File.writable?(given) && room(given) >= ROOM ? given : Dir.tmpdir
      end

      # @param folder [String]
      # @return [Integer] bytes that are free there, if it lies in memory; 0: it does not, or this system cannot tell
      def room(folder)
        kind, free, block = IO.popen(["stat", "-f", "-c", "%T %a %S", folder], err: File::NULL, &:read).split
        kind == "tmpfs" ? Integer(free) * Integer(block) : 0
      rescue SystemCallError
        0
      end
    end
  end
end
