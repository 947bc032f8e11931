# frozen_string_literal: true

module Trunkline
  module Postgres
    # What the variables are called in which fibers and threads remember the sessions that they hold, one for each client.
    HOLDING = "trunkline_session_"
    private_constant :HOLDING

    # @return [Boolean] whether the calling fiber or thread holds a session of any client
    def self.session_held?
      thread = Thread.current
      stored = RUBY_VERSION >= "3.2" ? Fiber.current.storage.to_h : {}
      held = thread.keys.map { |name| [name, thread[name]] } + thread.thread_variables.map { |name| [name, thread.thread_variable_get(name)] }
      (held + stored.to_a).any? { |name, session| session && name.start_with?(HOLDING) }
    end
  end
end
