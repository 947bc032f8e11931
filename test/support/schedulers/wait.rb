# frozen_string_literal: true

# One wait of one fiber: what for, and how it ended. It ends once; whatever comes later is ignored.
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

  # Whether it was given a wake-up; it takes one.
  def unblocked?
    @unblocked
  end

  # Ends the wait; the fiber takes the value when its turn comes.
  def ready(value)
    @value = value
    @state = :ready
  end

  # Notes a wake-up, also one that comes between the end of the wait and the fiber's turn.
  def unblock
    @unblocked = true
    @value = true
  end

  # The time was over before the fiber's turn: it goes on for that reason, and the wake-up it was given stays behind.
  def time_out
    @value = false
  end

  def finish
    @state = :finished
  end

  # A wake-up was given that the fiber did not receive, because something else came first.
  def wake_up_left?
    @unblocked && (!@exception.nil? || @value == false)
  end

  def to_s
    subject.nil? ? kind.to_s : "#{kind}(#{subject.class})"
  end
end
