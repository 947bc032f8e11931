# frozen_string_literal: true

# A method's parameters, so that its signature and its definition can be compared. For several overloads: the parameters that any of them takes, and
# those that all of them require.
SignatureShape = Struct.new(:required, :positional, :rest, :required_keywords, :keywords, :other_keywords) do
  # Parameters named *unknown and **unknown are refused.
  #
  # @param method [Method, UnboundMethod]
  def self.of_method(method)
    kinds = method.parameters.group_by(&:first).transform_values { |parameters| parameters.map(&:last) }
    required = kinds.fetch(:req, []).size
    new(required, required + kinds.fetch(:opt, []).size, (kinds.fetch(:rest, []) - [:unknown]).any?, kinds.fetch(:keyreq, []).sort,
        (kinds.fetch(:keyreq, []) + kinds.fetch(:key, [])).sort, (kinds.fetch(:keyrest, []) - [:unknown]).any?)
  end

  # @param signature [RBS::Definition::Method]
  def self.of_signature(signature)
    shapes = signature.method_types.map { |type| of_function(type.type) }
    new(shapes.map(&:required).min, shapes.map(&:positional).max, shapes.any?(&:rest), shapes.map(&:required_keywords).reduce(:&),
        shapes.map(&:keywords).reduce(:|).sort, shapes.any?(&:other_keywords))
  end

  # @param function [RBS::Types::Function]
  def self.of_function(function)
    required = function.required_positionals.size + function.trailing_positionals.size
    new(required, required + function.optional_positionals.size, !function.rest_positionals.nil?, function.required_keywords.keys.sort,
        (function.required_keywords.keys + function.optional_keywords.keys).sort, !function.rest_keywords.nil?)
  end

  # @return [String] as parameters are written
  def to_s
    named = keywords.map { |name| "#{name}:#{" required" if required_keywords.include?(name)}" }
    ["#{required} to #{positional} parameters", *("*rest" if rest), *named, *("**rest" if other_keywords)].join(", ")
  end
end
