# frozen_string_literal: true

module CodecFuzz
  # All that Ruby asks of a request of PostgreSQL's once it is done. What a server sends may make it raise nothing but what is named here.
  module Examination
    READERS = %i[answered? plain? rows value affected_rows results status notices error leak unreadable outdated? rolled_back? forgotten? bystander? cancelled?
                 suspended? flowing? portion? wait_over? server_timeout?].freeze
    ErrorFields = Trunkline::Postgres.const_get(:ErrorFields)
    private_constant :READERS, :ErrorFields

    # @param request [Trunkline::Postgres::Request]
    def self.of(request)
      READERS.each { |reader| request.public_send(reader).inspect }
      ErrorFields.each(request.notices, &:inspect) if request.notices
      Trunkline::ServerError.from_fields(ErrorFields.parse(request.error)) if request.error
      rows(request) if request.description
      request.result(Trunkline::Postgres::Result)
    end

    def self.rows(request)
      description = request.description
      [description.columns, description.types, description.unknown, description.modifiers].each(&:inspect)
      Trunkline::Postgres::Result.new(request.rows, description, request.affected_rows, request.notices).to_a if request.answered?
      request.rows.each { |row| named(description, row) } if request.answered?
    end
    private_class_method :rows

    def self.named(description, row)
      return unless row.is_a?(Array)

      description.named(row)
      description.symbolized(row)
    rescue EncodingError
      nil # a column's name is no text: it is no Symbol either
    end
    private_class_method :named
  end
end
