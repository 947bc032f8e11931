# frozen_string_literal: true

require "rake"
require_relative "test_part"

# Divides the tests into parts. A part takes the start of a Ruby and, mostly, of a server, some three seconds; so small files are run together.
class TestParts
  ALL = "test/**/*_test.rb"
  # Files that are no parts: the applications that the tests of Rails start, and tests that take minutes, and further packages: see rake failover.
  ELSEWHERE = %w[test/hosts/rails/**/* test/hosts/rails_parts/**/* test/failover/**/*].freeze
  NETWORKS = "test/failover/dropped_packets_test.rb" # which makes networks of its own
  NEWER = "test/hosts/newer/**/*" # hosts that need Ruby 3.3
  ALONE = %w[test/scheduler test/hosts test/fuzz].freeze # folders whose files take long: each file is a part
  # Files of no folder that take long: each is a part.
  LONG = %w[growth history memory migration packaging readme reference signatures site].map { |name| "test/#{name}_test.rb" }.freeze
  TOGETHER = 12 # files of a folder per part
  # The parts that take longest, longest first.
  FIRST = %w[
    test/hosts/active_record_suite_test.rb test/growth_test.rb test/memory_test.rb test/hosts/active_record/ test/integration/ test/hosts/rails_test.rb
    test/hosts/rails_operations_test.rb test/packaging_test.rb test/rakelib/ test/site_test.rb test/ext/ test/hosts/sequel/ test/history_test.rb test/fuzz/ test/hosts/
    test/scheduler/hostile_scheduler_test.rb test/scheduler/threads_test.rb test/scheduler/event_machine_test.rb test/scheduler/stopped_hedges_test.rb
    test/scheduler/reference_scheduler_test.rb test/scheduler/async_test.rb test/scheduler/
  ].freeze
  WAITING = %w[test/scheduler/].freeze # folders whose tests mostly wait
  QUICK = %w[test/trunkline/**/*_test.rb test/scheduler/async_test.rb test/scheduler/threads_test.rb].freeze
  private_constant :ALL, :ELSEWHERE, :NETWORKS, :NEWER, :ALONE, :LONG, :TOGETHER, :FIRST, :WAITING, :QUICK

  # @return [Array<TestPart>] every test that this Ruby can run
  def self.all
    return new([*files, NETWORKS]).parts if networks?

    warn "#{NETWORKS} is left out: it needs root, the ip command (iproute2), and a kernel that lets it make networks and veth devices"
    new(files).parts
  end

  def self.files = Rake::FileList[ALL].exclude(*ELSEWHERE, *(NEWER if RUBY_VERSION < "3.3")).to_a
  def self.networks? = system("unshare", "-n", "ip", "link", "add", "one", "type", "veth", "peer", "name", "two", out: File::NULL, err: File::NULL) == true
  private_class_method :files, :networks?

  # @return [Array<TestPart>] the unit tests of lib, and the client's suites under a scheduler and under threads
  def self.quick = new(Rake::FileList[*QUICK].to_a).parts

  # @param files [Array<String>]
  def initialize(files)
    @files = files.sort
  end

  # @param kind [Class] TestPart or one of its kinds
  # @param prefix [String] of the parts' names
  # @param options [Hash] keywords of TestPart.of_files
  # @return [Array<TestPart>] whose rank is the lower, the longer they take
  def parts(kind = TestPart, prefix: "", **options)
    groups.map do |files|
      kind.of_files("#{prefix}#{name(files)}", files, rank: FIRST.index { |start| files.first.start_with?(start) } || FIRST.size,
                                                      waits: files.first.start_with?(*WAITING), **options)
    end
  end

  private

  # Groups files of one folder, and of the folders in it; and those of none.
  def groups
    alone, together = @files.partition { |file| ALONE.include?(File.dirname(file)) || LONG.include?(file) }
    alone.map { |file| [file] } + together.group_by { |file| file[%r{\Atest/[^/]+/}] }.values.flat_map { |files| files.each_slice(TOGETHER).to_a }
  end

  def name(files)
    first, last = files.minmax.map { |file| file.delete_prefix("test/").delete_suffix("_test.rb") }
    first == last ? first : "#{first}..#{File.basename(last)}"
  end
end
