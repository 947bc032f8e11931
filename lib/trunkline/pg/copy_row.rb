# frozen_string_literal: true

require_relative "type_maps"

module Trunkline
  module PG
    # Rows of COPY in its text format.
    module CopyText
      NAMED = { "b" => "\b", "f" => "\f", "n" => "\n", "r" => "\r", "t" => "\t", "v" => "\v" }.freeze
      LETTERS = NAMED.invert.merge("\\" => "\\").freeze
      private_constant :NAMED, :LETTERS

      # @param line [String] with or without its end
      # @return [Array<String, nil>]
      def self.read(line)
        line.delete_suffix("\n").split("\t", -1).map { |field| field == "\\N" ? nil : field.gsub(/\\(x\h{1,2}|[0-7]{1,3}|.)/m) { unescaped($1) } }
      end

      # @param values [Array] to_s is what is sent of each; nil: NULL
      # @return [String]
      def self.write(values) = "#{values.map { |value| value.nil? ? "\\N" : Queries.utf8(value.to_s).gsub(/[\b\f\n\r\t\v\\]/) { |sign| "\\#{LETTERS[sign]}" } }.join("\t")}\n"

      def self.unescaped(code)
        case code
        when /\Ax/ then code[1..].hex.chr
        when /\A[0-7]/ then (code.oct & 0xFF).chr
        else NAMED.fetch(code, code)
        end
      end
      private_class_method :unescaped
    end
    private_constant :CopyText

    # Mixin for coders of rows, whose fields have coders of their own.
    module OfType
      # @return [TypeMap] of the fields
      attr_accessor :type_map

      def initialize(options = nil, **keywords)
        super
        @type_map = { **options.to_h, **keywords }.fetch(:type_map) { TypeMapAllStrings.new }
      end
    end
    private_constant :OfType

    module TextDecoder
      # Decodes a line of COPY TO STDOUT.
      class CopyRow < SimpleDecoder
        include OfType

        # @param text [String, nil] the line
        # @return [Array<Object, nil>, nil] decoded by the type map; nil: there was no line
        # @raise [ArgumentError] the map has coders for more or fewer columns
        def decode(text, _row = nil, _column = nil) = text && TypeMap.reading(type_map).copied(CopyText.read(text), :decode)
      end
    end

    module TextEncoder
      # Encodes a line for COPY FROM STDIN.
      class CopyRow < SimpleEncoder
        include OfType

        # @param values [Array<#to_s, nil>] encoded by the type map, and by to_s
        # @return [String] the line, with its newline
        # @raise [TypeError] it is not an Array
        # @raise [ArgumentError] the map has coders for more or fewer columns
        def encode(values)
          raise TypeError, "wrong argument type #{values.class} (expected Array)" unless values.is_a?(Array)

          CopyText.write(TypeMap.reading(type_map).copied(values, :encode))
        end
      end
    end
  end
end
