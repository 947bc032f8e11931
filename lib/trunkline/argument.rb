# frozen_string_literal: true

module Trunkline
  # Checks of arguments, which can be any object: one without methods, as a BasicObject is, or one whose own methods fail. An object counts as an
  # instance of another class if its is_a? says so, as ActiveSupport::Duration counts as a number.
  module Argument # :nodoc:
    # Characters of it that a message contains.
    LONGEST = 50
    private_constant :LONGEST

    module_function

    # @param kinds [Array<Module>]
    # @return [Boolean]
    def is?(given, *kinds)
      kinds.any? { |kind| given.is_a?(kind) }
    rescue NoMethodError
      false
    end

    # @return [Boolean]
    def responds?(given, name)
      given.respond_to?(name)
    rescue NoMethodError
      false
    end

    # @param name [Symbol] of the option
    # @param advice [String, nil] after the message
    # @return [Boolean] nil counts as false
    # @raise [ArgumentError] it is neither true nor false, but for example a String from the environment, which would count as true
    def flag(name, given, advice = nil)
      return given == true if [true, false, nil].include?(given)

      raise ArgumentError, "#{name} must be true or false, not #{shown(given)}#{": #{advice}" if advice}"
    end

    # @return [String] for a message: its inspect, or its class
    def shown(given)
      text = given.inspect
      text.size > LONGEST ? "#{text[0, LONGEST]}..." : text
    rescue StandardError
      "a #{class_of(given)}"
    end

    # @param name [String] what a message calls it
    # @return [String] its to_s
    # @raise [TypeError] it has none, or contains an object that has none
    def text(given, name)
      given.to_s
    rescue NoMethodError
      raise TypeError, "cannot send a #{class_of(given)} as #{name}: convert it to a String"
    end

    # @return [Class]
    def class_of(given) = Kernel.instance_method(:class).bind_call(given)
  end
  private_constant :Argument
end
