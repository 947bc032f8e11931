# frozen_string_literal: true

module Trunkline
  # What a client of PostgreSQL has written.
  module FrontendUnits
    # @param bytes [String] whole messages
    # @return [Array<Array<String>>] types of messages, up to each Sync
    def self.of(bytes)
      types = []
      until bytes.empty?
        type, length = bytes.unpack("aN")
        types << type
        bytes = bytes.byteslice((1 + length)..)
      end
      types.slice_after("S").to_a
    end
  end
end
