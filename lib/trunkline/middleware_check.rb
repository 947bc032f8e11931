# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  # Checks that a middleware overrides a hook, so that it is not silently without effect.
  module MiddlewareCheck # :nodoc:
    # The hooks of {Middlewares}, and their numbers of arguments.
    HOOKS = { operation: 1, connect: 1, switch: 3, query: 3, async: 3, batch: 2, transaction: 2, command: 3 }.freeze
    private_constant :HOOKS

    # @param middleware [Module]
    # @raise [ArgumentError]
    def self.check(middleware)
      middleware.public_instance_methods.each do |name|
        next if Object.method_defined?(name)
        raise ArgumentError, unknown(middleware, name) unless HOOKS.key?(name)
        next if takes?(middleware.instance_method(name).parameters.map(&:first), HOOKS[name])

        raise ArgumentError, "#{name} of the middleware #{middleware} must take #{HOOKS[name]} arguments, as Trunkline::Middlewares##{name} does"
      end
    end

    def self.unknown(middleware, name)
      spelling = DidYouMean::SpellChecker.new(dictionary: HOOKS.keys).correct(name).first
      "#{name} of the middleware #{middleware} wraps no call#{", did you mean #{spelling}?" if spelling}: what is no " \
        "#{HOOKS.keys[0...-1].join(", ")} or #{HOOKS.keys.last} must be private"
    end

    def self.takes?(kinds, count)
      return false if kinds.include?(:keyreq)

      required = kinds.count(:req)
      required <= count && (kinds.include?(:rest) || required + kinds.count(:opt) >= count)
    end
    private_class_method :unknown, :takes?
  end
  private_constant :MiddlewareCheck
end
