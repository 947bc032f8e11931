# frozen_string_literal: true

module Trunkline
  module Bench
    # A process of its own that has one object and carries out what it is asked by its parent: several begin, and then finish, side by side.
    class ForkedProcess
      # @param type [Class] of the object
      # @param options of its constructor
      def initialize(type, **options)
        child, @requests = IO.pipe
        @answers, parent = IO.pipe
        @pid = fork { serve(child, parent, type, options) }
        [child, parent].each(&:close)
      end

      # @param method [Symbol] of the object
      # @param arguments of the method
      def begin_call(method, *arguments) = Marshal.dump([method, *arguments], @requests)

      # @return [Object] what the method has returned
      # @raise [EOFError] the process has ended
      def finish_call = Marshal.load(@answers)

      # Ends the process, whatever its callers wait for.
      def close
        return unless @pid

        Process.kill(:KILL, @pid)
        Process.wait(@pid)
        @pid = nil
        [@requests, @answers].each(&:close)
      end

      private

      # The parent's end, or close, ends it.
      def serve(requests, answers, type, options)
        [@requests, @answers].each(&:close)
        object = type.new(**options)
        loop { Marshal.dump(object.public_send(*Marshal.load(requests)), answers) }
      rescue EOFError
        nil
      ensure
        exit!
      end
    end
  end
end
