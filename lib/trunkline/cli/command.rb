# frozen_string_literal: true

require "optparse"
require "trunkline"
require_relative "doctor"
require_relative "doctor_options"
require_relative "top"
require_relative "top_options"

module Trunkline
  # The gem's command: `trunkline doctor`, `trunkline top`.
  module CLI
    # Parses the arguments and runs the command.
    class Command
      # Exit statuses.
      WELL, TROUBLE, MISUSED = 0, 1, 2
      HELP = <<~TEXT
        Usage:
          trunkline doctor [OPTIONS] [URL]   looks at a server as an application would use it, and says what to set
          trunkline top [OPTIONS] [PID]      shows what a running process does
          trunkline --version

        `trunkline COMMAND --help` tells more.
      TEXT
      private_constant :WELL, :TROUBLE, :MISUSED, :HELP

      # @param out [IO] for output
      # @param err [IO] for errors
      def initialize(out: $stdout, err: $stderr)
        @out = out
        @err = err
      end

      # @param arguments [Array<String>]
      # @return [Integer] exit status: 0: all is well; 1: there is a problem; 2: the arguments are invalid
      def run(arguments)
        command, *rest = arguments
        case command
        when "doctor" then doctor(rest)
        when "top" then top(rest)
        when "--version" then say(VERSION)
        when nil, "help", "--help", "-h" then say(HELP)
        else misused("there is no command #{command}")
        end
      rescue OptionParser::ParseError, ConfigError, ArgumentError => error
        misused(error.message)
      rescue Top::ProcessList::NotFound => error
        @err.puts("trunkline: #{error.message}")
        TROUBLE
      rescue Interrupt, Errno::EPIPE # a pager or `head` has read enough
        WELL
      end

      private

      def say(text)
        @out.puts(text)
        WELL
      end

      def misused(reason)
        @err.puts("trunkline: #{reason}", "Try `trunkline --help`.")
        MISUSED
      end

      def doctor(arguments)
        parsed(DoctorOptions, arguments) do |url, options|
          doctor = Doctor::Memcached.address?(url) ? Doctor::Memcached : Doctor
          doctor.new(url, **options).examine(@out) ? WELL : TROUBLE
        end
      end

      def top(arguments)
        parsed(TopOptions, arguments) do |pid, options|
          Top.new(pid, **options).show(@out)
          WELL
        end
      end

      # @yieldparam argument [String, nil] the one that is not an option
      # @yieldparam options [Hash{Symbol => Object}]
      def parsed(known, arguments)
        options = {}
        parser = known.parser
        parser.on_tail("--help", "this") { return say(parser.help) }
        argument, *more = parser.parse(arguments, into: options)
        raise OptionParser::NeedlessArgument, more.join(" ") unless more.empty?

        yield argument, options.transform_keys { |name| name.to_s.tr("-", "_").to_sym }
      end
    end
  end
end
