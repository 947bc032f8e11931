# frozen_string_literal: true

module Trunkline
  VERSION = "0.1.0"
end
