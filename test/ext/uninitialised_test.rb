# frozen_string_literal: true

require "test_helper"
require "support/children"

# The extension's classes are private constants, but ObjectSpace finds them all the same. A method of an object whose initialize has not run
# raises at most; it does not end the process.
class UninitialisedTest < Trunkline::TestCase
  include Children

  # All classes that have methods written in C, each in a child of its own, which tells what it calls. Each method is called on a new object
  # for each argument.
  CALLS = <<~'RUBY'
    require "timeout"
    ARGUMENTS = [nil, -1, 0.5, "text", [], {}, Object.new].freeze
    LONGEST_WAIT = 0.05 # seconds: some methods wait until they are woken
    CLASSES = ObjectSpace.each_object(Class).select { |owner| owner.to_s.start_with?("Trunkline::") && !(owner < Exception) && !(owner < Struct) }

    def names(owner)
      ancestors = owner.ancestors.take_while { |ancestor| ancestor != Object }
      all = ancestors.flat_map { |ancestor| ancestor.instance_methods(false) + ancestor.private_instance_methods(false) }
      all.uniq.reject { |name| owner.instance_method(name).source_location }
    end

    def try(owner, name)
      arity = owner.instance_method(name).arity
      count = arity.negative? ? -arity - 1 : arity
      (count.zero? ? [nil] : [*ARGUMENTS, owner.allocate]).each do |argument|
        Timeout.timeout(LONGEST_WAIT) { owner.allocate.__send__(name, *[argument] * count) }
      rescue Exception
        next # any error will do
      end
    end

    def in_child(owner)
      reader, writer = IO.pipe
      pid = fork do
        [$stdout, $stderr].each { |io| io.reopen(File::NULL) }
        Process.setrlimit(:CORE, 0)
        yield writer
        GC.start
        exit!(0)
      end
      writer.close
      called = reader.readlines(chomp: true)
      Process.wait(pid)
      puts "#{owner}##{called.last} ended by signal #{$?.termsig}" if $?.signaled?
    end

    def allocatable?(owner)
      owner.allocate && true
    rescue TypeError, NoMethodError
      false
    end

    tried = CLASSES.reject { |owner| names(owner).empty? }.group_by { |owner| allocatable?(owner) }
    tried.fetch(true).each do |owner|
      in_child(owner) { |progress| (names(owner) + %i[inspect hash dup clone]).each { |name| progress.puts(name) || try(owner, name) } }
    end
    tried.fetch(false).each do |owner|
      in_child(owner) do |progress|
        ARGUMENTS.each { |argument| 8.times { |count| owner.new(*[argument] * count) rescue next } }
        ObjectSpace.each_object(owner) { |half| names(owner).each { |name| progress.puts(name) || half.__send__(name) rescue next } }
      end
    end
    puts tried.transform_values(&:size)
  RUBY
  private_constant :CALLS

  def test_no_method_ends_the_process
    output, status = run_program(CALLS)
    assert_predicate status, :success?, output
    assert_match(/\A\{(true|false)=>\d+, (true|false)=>\d+\}\n\z/, output.gsub(" => ", "=>"))
  end
end
