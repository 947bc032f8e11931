# frozen_string_literal: true

# Makes a warning from a file of this project an error; warnings from others are silent.
module OwnWarnings
  ROOT = "#{File.expand_path("../..", __dir__)}/"
  OTHERS = "#{ROOT}vendor/"
  private_constant :ROOT, :OTHERS

  def warn(message, category: nil)
    raise message if message.include?(ROOT) && !message.include?(OTHERS)
  end
end

Warning.extend(OwnWarnings)
Warning[:deprecated] = true
$VERBOSE = true
