# frozen_string_literal: true

require_relative "coders"

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
      def self.write(values) = "#{values.map { |value| value.nil? ? "\\N" : value.to_s.gsub(/[\b\f\n\r\t\v\\]/) { |sign| "\\#{LETTERS[sign]}" } }.join("\t")}\n"

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

    module TextDecoder
      # A line of COPY TO STDOUT -> its values.
      class CopyRow < SimpleDecoder
        # @param text [String, nil] the line
        # @return [Array<String, nil>, nil] nil: there was no line
        def decode(text, _row = nil, _column = nil) = text && CopyText.read(text)
      end
    end

    module TextEncoder
      # Values -> a line for COPY FROM STDIN.
      class CopyRow < SimpleEncoder
        # @param values [Array<#to_s, nil>]
        # @return [String] the line, with its end
        def encode(values) = CopyText.write(values)
      end
    end
  end
end
