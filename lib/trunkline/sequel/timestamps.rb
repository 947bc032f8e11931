# frozen_string_literal: true

module Sequel
  module Trunkline
    # Reads a Database's timestamps in the currently configured time zones: in C, if Ruby itself knows the zones.
    class Timestamps
      # The meaning of Sequel's settings.
      FROM = { nil => :local, local: :local, utc: :utc }.freeze
      TO = { nil => nil, local: :local, utc: :utc }.freeze
      private_constant :FROM, :TO

      # @return [#call] converts them by any settings
      attr_reader :converter

      # @param db [Database]
      # @param converter [#call]
      def initialize(db, converter)
        @db = db
        @converter = converter
        @readers = FROM.transform_values { |from| TO.transform_values { |to| ::Trunkline::Postgres::TimeReader.new(from, to, converter) } }
      end

      # @return [#call] the same, for the current settings
      def reader
        return @converter unless Sequel.datetime_class == Time

        @readers[@db.timezone]&.[](Sequel.application_timezone) || @converter
      end
    end
  end
end
