# frozen_string_literal: true

# A thread of a test, in @thread, which does what the test sends it through @finish, or waits there, and ends when the test does.
module LivingThread
  def setup
    super
    @finish = Thread::Queue.new
  end

  def teardown
    @finish.close
    @thread&.join
    super
  end
end
