# frozen_string_literal: true

require "ripper"

# Which instance variables the methods of modules use: those of whatever includes the module.
class MixinVariables
  # @param path [String] of a file in Ruby
  # @return [Hash{String => Array<String>}] by the names of the file's modules
  def self.of(path) = new.tap { |found| found.walk(Ripper.sexp(File.read(path)), nil) }.variables

  attr_reader :variables

  def initialize
    @variables = {}
  end

  # @param node [Array, Object] of Ripper.sexp
  # @param mixin [String, nil] the module whose instance methods the node belongs to
  def walk(node, mixin)
    return unless node.is_a?(Array)

    case node.first
    when :module then walk_all(node.drop(2), name_of(node[1]))
    when :class then walk_all(node.drop(2), nil)
    when :sclass, :defs then walk_all(node.drop(1), nil)
    when :@ivar then note(node[1], mixin)
    else walk_all(node, mixin)
    end
  end

  private

  def walk_all(nodes, mixin) = nodes.each { |node| walk(node, mixin) }

  def name_of(constant) = constant.flatten.find { |part| part.is_a?(String) }

  def note(variable, mixin)
    @variables[mixin] = [*@variables[mixin], variable].uniq.sort if mixin
  end
end
