# frozen_string_literal: true

module Sequel
  module Trunkline
    # How a Database reads timestamps in the zones that are set at the moment: in C, where Ruby knows the zones by itself.
    class Timestamps
      # What Sequel means by its settings.
      FROM = { nil => :local, local: :local, utc: :utc }.freeze
      TO = { nil => nil, local: :local, utc: :utc }.freeze
      private_constant :FROM, :TO

      # @return [#call] what reads them according to any settings
      attr_reader :converter

      # @param db [Database]
      # @param converter [#call]
      def initialize(db, converter)
        @db = db
        @converter = converter
        @readers = FROM.transform_values { |from| TO.transform_values { |to| ::Trunkline::Postgres::TimeReader.new(from, to, converter) } }
      end

      # @return [#call] the same, for the settings as they are
      def reader
        return @converter unless Sequel.datetime_class == Time

        @readers[@db.timezone]&.[](Sequel.application_timezone) || @converter
      end
    end
  end
end
