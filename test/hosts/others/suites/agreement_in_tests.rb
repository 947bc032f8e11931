# frozen_string_literal: true

require "minitest"
require_relative "agreement"

# A test of Minitest's fails in which ActiveRecord and the server disagreed.
module AgreementInTests
  def self.minitest_plugin_init(_options) = Agreement.begin

  def after_teardown
    super
    differences = Agreement.taken
    flunk(differences.join("\n")) if differences.any?
  end
end

Minitest::Test.prepend(AgreementInTests)
Minitest.register_plugin(AgreementInTests)
