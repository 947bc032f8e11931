# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class Authentication
      class MD5Test < TestCase
        # md5sum of: md5sum of "secretann" in hexadecimal, then the salt.
        def test_the_hash_of_the_hash
          assert_equal "md59009ce60b9ca97f1e752376843d1309e\0", MD5.response("ann", "secret", "\x01\x02\x03\x04")
        end

        def test_bytes_of_any_encoding
          assert_equal 36, MD5.response("änn", "\xFFsecret".b, "\xFF\xFE\xFD\xFC".b).bytesize
        end
      end
    end
  end
end
