# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/sanitized_extension"

# Some fuzzing, under sanitizers, of all that takes in what a server sends. `rake fuzz:codec` takes longer.
class CodecFuzzTest < Trunkline::TestCase
  ROUNDS = 600
  private_constant :ROUNDS

  def test_what_servers_send
    assert SanitizedExtension.available?, SanitizedExtension.missing
    report = SanitizedExtension.new.run("test/fuzz/codec/program.rb", Minitest.seed.to_s, "0", ROUNDS.to_s)
    assert_match %r{\A.*/tmp/sanitized/}, report
    %w[postgres_taken postgres_nonsense memcached_taken memcached_nonsense value malformed long_value].each do |outcome|
      assert_operator report[/^#{outcome}: (\d+)/, 1].to_i, :>, ROUNDS / 20, outcome
    end
  end

  # What does not stop at a read behind the end of memory would find nothing.
  def test_the_sanitizer_stops_a_program
    Dir.mktmpdir do |folder|
      program = File.join(folder, "wrong.rb")
      File.write(program, <<~RUBY)
        require "fiddle"
        memory = Fiddle::Function.new(Fiddle::Handle::DEFAULT["malloc"], [Fiddle::TYPE_SIZE_T], Fiddle::TYPE_VOIDP).call(8)
        Fiddle::Function.new(Fiddle::Handle::DEFAULT["memcmp"], [Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T], Fiddle::TYPE_INT).call(memory, memory, 9)
      RUBY
      error = assert_raises(SanitizedExtension::Failure) { SanitizedExtension.new.run(program) }
      assert_match(/AddressSanitizer: heap-buffer-overflow/, error.message)
    end
  end
end
