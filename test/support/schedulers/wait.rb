# frozen_string_literal: true

# One wait of one fiber: what it waits for, and how it ended. It ends once; later events are ignored.
class Wait
  attr_reader :fiber, :kind, :subject, :events, :value
  attr_accessor :exception, :timer, :doomed

  # @param kind [Symbol] :block, :sleep, :io or :turn
  # @param subject what the fiber waits for: a blocker, an IO
  # @param events [Integer] for :io, the bits of IO::READABLE, IO::PRIORITY and IO::WRITABLE
  def initialize(fiber, kind, subject: nil, events: 0)
    @fiber = fiber
    @kind = kind
    @subject = subject
    @events = events
    @state = :waiting
    @unblocked = false
  end

  def waiting?
    @state == :waiting
  end

  def finished?
    @state == :finished
  end

  # Whether it has received a wake-up; it takes one.
  def unblocked?
    @unblocked
  end

  # Ends the wait; the fiber gets the value when it runs.
  def ready(value)
    @value = value
    @state = :ready
  end

  # Records a wake-up, also one between the end of the wait and the fiber's run.
  def unblock
    @unblocked = true
    @value = true
  end

  # The timeout passed before the fiber ran: it continues for that reason, and the wake-up that it got remains unused.
  def time_out
    @value = false
  end

  def finish
    @state = :finished
  end

  # Whether a wake-up was given that the fiber did not receive, because something else came first.
  def wake_up_left?
    @unblocked && (!@exception.nil? || @value == false)
  end

  def to_s
    subject.nil? ? kind.to_s : "#{kind}(#{subject.class})"
  end
end
