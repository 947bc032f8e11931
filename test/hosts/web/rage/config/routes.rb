# frozen_string_literal: true

Rage.routes.draw do
  %w[value transaction future stream large deadline record sleep timed slept enumerated].each { |action| get action, to: "queries##{action}" }
end
