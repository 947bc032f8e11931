# frozen_string_literal: true

require "ripper"

# Finds the instance variables that methods of modules use: those of the including class.
class MixinVariables
  class << self
    # @param path [String] of a file in Ruby
    # @return [Hash{String => Array<String>}] by the names of the file's modules
    def of(path) = walked(path).variables

    # @param path [String]
    # @return [Hash{String => Array<String>}] those of them that the methods assign
    def assigned(path) = walked(path).assigned

    private

    def walked(path) = new.tap { |found| found.walk(Ripper.sexp(File.read(path)), nil) }
  end

  attr_reader :variables, :assigned

  def initialize
    @variables = {}
    @assigned = {}
  end

  # @param node [Array, Object] of Ripper.sexp
  # @param mixin [String, nil] the module whose instance methods the node belongs to
  def walk(node, mixin)
    return unless node.is_a?(Array)

    case node.first
    when :module then walk_all(node.drop(2), name_of(node[1]))
    when :class then walk_all(node.drop(2), nil)
    when :sclass, :defs then walk_all(node.drop(1), nil)
    when :@ivar then note(@variables, node[1], mixin)
    else
      note(@assigned, node[1][1], mixin) if node.first == :var_field && node[1].is_a?(Array) && node[1].first == :@ivar
      walk_all(node, mixin)
    end
  end

  private

  def walk_all(nodes, mixin) = nodes.each { |node| walk(node, mixin) }

  def name_of(constant) = constant.flatten.find { |part| part.is_a?(String) }

  def note(into, variable, mixin)
    into[mixin] = [*into[mixin], variable].uniq.sort if mixin
  end
end
