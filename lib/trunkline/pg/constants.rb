# frozen_string_literal: true

module Trunkline
  module PG
    # Numbers that libpq gives to states and to the fields of errors.
    module Constants
      CONNECTION_OK = 0
      CONNECTION_BAD = 1
      PQTRANS_IDLE = 0
      PQTRANS_ACTIVE = 1
      PQTRANS_INTRANS = 2
      PQTRANS_INERROR = 3
      PQTRANS_UNKNOWN = 4
      PGRES_EMPTY_QUERY = 0
      PGRES_COMMAND_OK = 1
      PGRES_TUPLES_OK = 2
      PG_DIAG_SEVERITY = 83
      PG_DIAG_SQLSTATE = 67
      PG_DIAG_MESSAGE_PRIMARY = 77
      PG_DIAG_MESSAGE_DETAIL = 68
      PG_DIAG_MESSAGE_HINT = 72
      PG_DIAG_STATEMENT_POSITION = 80
      PG_DIAG_INTERNAL_POSITION = 112
      PG_DIAG_INTERNAL_QUERY = 113
      PG_DIAG_CONTEXT = 87
      PG_DIAG_SCHEMA_NAME = 115
      PG_DIAG_TABLE_NAME = 116
      PG_DIAG_COLUMN_NAME = 99
      PG_DIAG_DATATYPE_NAME = 100
      PG_DIAG_CONSTRAINT_NAME = 110
      PG_DIAG_SOURCE_FILE = 70
      PG_DIAG_SOURCE_LINE = 76
      PG_DIAG_SOURCE_FUNCTION = 82
    end
    include Constants
  end
end
