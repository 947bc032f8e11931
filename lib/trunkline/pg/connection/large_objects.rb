# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Large objects, by the server's functions. A descriptor is valid until the end of its transaction.
      module LargeObjects
        include Constants

        # Bytes of a file that are read or written at a time: a bound on memory, not tuned. libpq copies 8 KiB at a time.
        PIECE = 64 * 1024
        private_constant :PIECE

        # @param _mode [Integer, nil] not used by the server
        # @return [Integer] OID of a new large object
        # @raise [PG::Error]
        def lo_creat(_mode = nil) = large("SELECT pg_catalog.lo_creat(-1)")
        alias locreat lo_creat

        # @param oid [Integer] of the new object; 0: any
        # @return [Integer] OID of a new large object
        # @raise [PG::Error]
        def lo_create(oid) = large("SELECT pg_catalog.lo_create($1::pg_catalog.oid)", oid)
        alias locreate lo_create

        # @param oid [Integer]
        # @param mode [Integer] PG::INV_READ, PG::INV_WRITE or both
        # @return [Integer] descriptor
        # @raise [PG::Error]
        def lo_open(oid, mode = INV_READ) = large("SELECT pg_catalog.lo_open($1::pg_catalog.oid, $2::pg_catalog.int4)", oid, mode)
        alias loopen lo_open

        # @param descriptor [Integer]
        # @param bytes [String]
        # @return [Integer] bytes that were written
        # @raise [PG::Error]
        def lo_write(descriptor, bytes)
          large("SELECT pg_catalog.lowrite($1::pg_catalog.int4, $2::pg_catalog.bytea)", descriptor, { value: bytes.b, format: 1, type: 17 })
        end
        alias lowrite lo_write

        # @param descriptor [Integer]
        # @param length [Integer] bytes at most
        # @return [String, nil] nil: there are no more
        # @raise [PG::Error]
        def lo_read(descriptor, length)
          bytes = exec_params("SELECT pg_catalog.loread($1::pg_catalog.int4, $2::pg_catalog.int4)", [descriptor.to_s, length.to_s], 1, TypeMapAllStrings.new)
          found = bytes.sent_value(0, 0)
          found unless found.empty?
        end
        alias loread lo_read

        # @param offset [Integer]
        # @param whence [Integer] PG::SEEK_SET, PG::SEEK_CUR or PG::SEEK_END
        # @return [Integer] the new position
        # @raise [PG::Error]
        def lo_lseek(descriptor, offset, whence)
          large("SELECT pg_catalog.lo_lseek64($1::pg_catalog.int4, $2::pg_catalog.int8, $3::pg_catalog.int4)", descriptor, offset, whence)
        end
        alias lolseek lo_lseek
        alias lo_seek lo_lseek
        alias loseek lo_lseek

        # @return [Integer] the position
        # @raise [PG::Error]
        def lo_tell(descriptor) = large("SELECT pg_catalog.lo_tell64($1::pg_catalog.int4)", descriptor)
        alias lotell lo_tell

        # @param length [Integer] new length in bytes
        # @return [nil]
        # @raise [PG::Error]
        def lo_truncate(descriptor, length)
          large("SELECT pg_catalog.lo_truncate64($1::pg_catalog.int4, $2::pg_catalog.int8)", descriptor, length) && nil
        end
        alias lotruncate lo_truncate

        # @return [nil]
        # @raise [PG::Error]
        def lo_close(descriptor) = large("SELECT pg_catalog.lo_close($1::pg_catalog.int4)", descriptor) && nil
        alias loclose lo_close

        # @return [nil]
        # @raise [PG::Error]
        def lo_unlink(oid) = large("SELECT pg_catalog.lo_unlink($1::pg_catalog.oid)", oid) && nil
        alias lounlink lo_unlink

        # @param path [String] a file of this machine
        # @return [Integer] OID of a new large object with its content
        # @raise [PG::Error]
        def lo_import(path)
          oid = lo_creat
          opened(oid, INV_WRITE) { |descriptor| File.open(path, "rb") { |file| lo_write(descriptor, file.read(PIECE)) until file.eof? } }
          oid
        end
        alias loimport lo_import

        # @param oid [Integer]
        # @param path [String] a file of this machine, to which the content is written
        # @return [nil]
        # @raise [PG::Error]
        def lo_export(oid, path)
          opened(oid, INV_READ) do |descriptor|
            File.open(path, "wb") { |file| while (piece = lo_read(descriptor, PIECE)) do file.write(piece) end }
          end
          nil
        end
        alias loexport lo_export

        private

        def large(sql, *parameters)
          given = parameters.map { |value| value.is_a?(Hash) ? value : value.to_s }
          exec_params(sql, given, 0, TypeMapAllStrings.new).sent_value(0, 0).to_i
        end

        def opened(oid, mode)
          descriptor = lo_open(oid, mode)
          yield descriptor
          lo_close(descriptor)
        end
      end
    end
  end
end
