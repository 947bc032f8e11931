# frozen_string_literal: true

require "bullet"

# The notices of Bullet.
module Probe
  module_function

  def configure(config)
    config.after_initialize { Bullet.enable = true }
    config.middleware.delete(Bullet::Rack) # which ends the request before its notices can be read
  end

  def watch
    Bullet.start_request
    yield
    Bullet.notification? # finds them
    Bullet.notification_collector.collection.map { |notice| "#{notice.class.name}: #{notice.body}" }
  ensure
    Bullet.end_request
  end
end
