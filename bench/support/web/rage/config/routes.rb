# frozen_string_literal: true

Rage.routes.draw do
  %w[json find sleep slow].each { |action| get action, to: "accounts##{action}" }
end
