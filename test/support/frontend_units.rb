# frozen_string_literal: true

module Trunkline
  # The messages that a client of PostgreSQL has written.
  module FrontendUnits
    # @param bytes [String] whole messages
    # @return [Array<Array<String>>] types of messages, up to each Sync
    def self.of(bytes)
      types = []
      at = 0
      while at < bytes.bytesize
        types << bytes.byteslice(at, 1)
        at += 1 + bytes.unpack1("N", offset: at + 1)
      end
      types.slice_after("S").to_a
    end
  end
end
