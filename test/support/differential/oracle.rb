# frozen_string_literal: true

require "pg"
require_relative "answer"

class Differential
  # The pg gem's answers, from a session with the settings that Trunkline uses.
  class Oracle
    # DateStyle without an order keeps the one of the database.
    SETTINGS = "SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 3; SET standard_conforming_strings = on"
    # By OID: the pg gem's own decoders. A type that is not here is compared as text alone.
    DECODERS = {
      16 => PG::TextDecoder::Boolean, 17 => PG::TextDecoder::Bytea, 20 => PG::TextDecoder::Integer, 21 => PG::TextDecoder::Integer, 23 => PG::TextDecoder::Integer,
      25 => PG::TextDecoder::String, 26 => PG::TextDecoder::Integer, 114 => PG::TextDecoder::JSON, 700 => PG::TextDecoder::Float, 701 => PG::TextDecoder::Float,
      1042 => PG::TextDecoder::String, 1043 => PG::TextDecoder::String, 1082 => PG::TextDecoder::Date, 1114 => PG::TextDecoder::TimestampUtc,
      1184 => PG::TextDecoder::TimestampWithTimeZone, 1700 => PG::TextDecoder::Numeric, 3802 => PG::TextDecoder::JSON, 869 => PG::TextDecoder::Inet
    }.freeze
    ARRAYS = { 1000 => 16, 1001 => 17, 1005 => 21, 1007 => 23, 1009 => 25, 1016 => 20, 1021 => 700, 1022 => 701, 1182 => 1082, 1185 => 1184, 1231 => 1700 }.freeze
    STRINGS = [17, 25, 1042, 1043, 114, 3802].freeze
    private_constant :SETTINGS, :DECODERS, :ARRAYS, :STRINGS

    def initialize(uri)
      @connection = PG.connect(uri)
      @connection.set_notice_processor { |notice| notice }
      @connection.set_client_encoding("UTF8")
      @connection.exec(SETTINGS)
      @decoders = decoders
    end

    # @param texts [Array<String>] parameters
    # @return [Answer] with UNKNOWN in place of a value of a type that the pg gem has no decoder for
    def ask(sql, texts)
      result = @connection.exec_params(sql, texts)
      rows = result.values
      Answer.new(texts: rows, values: rows.map { |row| row.each_with_index.map { |text, column| text && decoded(text, result.ftype(column)) } })
    rescue PG::ServerError => error
      failed(error)
    end

    def close = @connection.close

    private

    attr_reader :connection

    def failed(error)
      sqlstate, message = [PG::PG_DIAG_SQLSTATE, PG::PG_DIAG_MESSAGE_PRIMARY].map { |field| error.result.error_field(field) }
      Answer.new(failure: [sqlstate, error.class.name[/\w+\z/], message])
    end

    # Its decoders leave what Ruby's classes cannot hold, as an infinite date, as text.
    def decoded(text, type)
      decoder = @decoders[type] or return Answer::UNKNOWN
      value = decoder.decode(text)
      value.is_a?(String) && !STRINGS.include?(type) ? Answer::UNKNOWN : value
    end

    def decoders
      single = DECODERS.transform_values(&:new)
      { **single, **ARRAYS.transform_values { |oid| PG::TextDecoder::Array.new(elements_type: single.fetch(oid)) } }
    end
  end
end
