# frozen_string_literal: true

# Where every thread and fiber of this process is, told when a test hangs. The process ends then.
module Whereabouts
  SIGNAL = "USR2"

  # Tells it upon the signal, which a run of tests sends to a part that says nothing any more.
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
