# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # Converts times to the zone that ActiveRecord expects: those with a time zone, decoded in local time, to UTC; those without, decoded in UTC, to
    # local time if that is the default.
    module Times # :nodoc:
      # Their OIDs.
      TIMESTAMP = 1114
      TIMESTAMPTZ = 1184
      private_constant :TIMESTAMP, :TIMESTAMPTZ

      module_function

      # @param result [Result]
      # @param zone [Symbol] :utc or :local
      def settle(result, zone)
        type = zone == :utc ? TIMESTAMPTZ : TIMESTAMP
        types = result.description.types
        return unless types.include?(type)

        types.each_with_index { |held, column| change(result.rows, column, zone) if held == type }
      end

      # An infinite time is not a Time.
      def change(rows, column, zone)
        rows.each do |row|
          time = row[column]
          next unless time.is_a?(Time)

          zone == :utc ? time.localtime(0) : row[column] = local(time)
        end
      end

      def local(time) = Time.local(time.year, time.month, time.day, time.hour, time.min, time.sec + time.subsec)

      private_class_method :change, :local
    end
    private_constant :Times
  end
end
