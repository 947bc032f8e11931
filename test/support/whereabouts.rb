# frozen_string_literal: true

# Prints where every thread and fiber of this process is, when a test hangs. The process ends then.
module Whereabouts
  SIGNAL = "USR2"

  # Prints it upon the signal that a run of tests sends to a part without output.
  def self.tell_upon_signal
    trap(SIGNAL) do
      $stderr.puts "It hangs:", *report # not warn, which the tests let raise
      exit! 1
    end
  end

  # @return [Array<String>]
  def self.report
    threads = Thread.list.map { |thread| "#{thread.inspect}\n  #{thread.backtrace.to_a.join("\n  ")}" }
    threads + ObjectSpace.each_object(Fiber).select(&:alive?).map { |fiber| "#{fiber.inspect}\n  #{fiber.backtrace.to_a.join("\n  ")}" }
  end
end
