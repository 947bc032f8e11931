# frozen_string_literal: true

require "test_helper"

# A class takes methods from several modules, and Ruby says nothing where one of these hides another one's private method of the same
# name. Where the two take different arguments, a call meant for the one raises ArgumentError in the other. Tests are not looked at, as it depends on the
# process which are there: what one of these hides, its own failure tells.
class HiddenMethodsTest < Trunkline::TestCase
  NAME = Module.instance_method(:name)
  INSPECT = Module.instance_method(:inspect)
  private_constant :NAME, :INSPECT

  def test_no_method_hides_a_private_one_that_takes_other_arguments
    assert_operator classes.size, :>, 50
    assert_empty classes.flat_map { |owner| hidden(owner) }.uniq
  end

  private

  def classes = @classes ||= ObjectSpace.each_object(Class).select { |owner| !owner.singleton_class? && ours?(owner) && !(owner <= Minitest::Runnable) }

  def ours?(owner) = (NAME.bind_call(owner) || INSPECT.bind_call(owner)).start_with?("Trunkline::")

  def hidden(owner)
    ancestors = owner.ancestors.select { |ancestor| ours?(ancestor) }
    private_names(ancestors).filter_map do |name|
      methods = ancestors.select { |ancestor| own?(ancestor, name) }.map { |ancestor| ancestor.instance_method(name) }
      "#{INSPECT.bind_call(methods.first.owner)}##{name} hides #{INSPECT.bind_call(methods[1].owner)}##{name}" if methods.map(&:arity).uniq.size > 1
    end
  end

  def private_names(ancestors) = ancestors.flat_map { |ancestor| ancestor.private_instance_methods(false) }.uniq - [:initialize]

  def own?(ancestor, name) = ancestor.method_defined?(name, false) || ancestor.private_method_defined?(name, false)
end
