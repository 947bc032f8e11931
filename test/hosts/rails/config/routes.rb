# frozen_string_literal: true

Rails.application.routes.draw do
  mount ActionCable.server => "/cable"

  resources :rooms, only: %i[index create show] do
    resources :messages, only: %i[index create]
  end
  get "process", to: "process#show"
  get "process/libpq", to: "process#libpq"
  get "process/wait", to: "process#wait"
end
