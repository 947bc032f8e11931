# frozen_string_literal: true

# Makes a warning from a file of this project an error; warnings from others are silent.
module OwnWarnings
  ROOT = "#{File.expand_path("../..", __dir__)}/"
  OTHERS = "#{ROOT}vendor/"
  # Ruby 3.4 warns of a block that is passed to what takes none; tests of wrong usages pass such blocks.
  WRONG_USAGE = /\A#{Regexp.escape(ROOT)}test\/\S+: warning: the block passed to '.*' .*may be ignored$/
  private_constant :ROOT, :OTHERS, :WRONG_USAGE

  def warn(message, category: nil)
    raise message if message.include?(ROOT) && !message.include?(OTHERS) && !message.match?(WRONG_USAGE)
  end
end

Warning.extend(OwnWarnings)
Warning[:deprecated] = true
$VERBOSE = true
