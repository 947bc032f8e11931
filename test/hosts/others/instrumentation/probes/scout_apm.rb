# frozen_string_literal: true

require "scout_apm"

# Its layers of ActiveRecord in a request.
module Probe
  module_function

  def configure(config)
    config.after_initialize { ScoutApm::Instruments::ActiveRecord.new(ScoutApm::Agent.instance.context).add_instruments }
  end

  def watch
    request = ScoutApm::RequestManager.lookup
    root = ScoutApm::Layer.new("Controller", "library")
    request.start_layer(root)
    yield
    layers(root)
  ensure
    Thread.current[:scout_request] = nil
  end

  def layers(layer) = layer.children.to_a.flat_map { |child| [("#{child.type} #{child.name} #{child.desc} #{child.annotations.inspect}" if child.type == "ActiveRecord"), *layers(child)] }.compact
end
