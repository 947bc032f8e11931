# frozen_string_literal: true

# A warning from a file of this project is an error; other people's are not ours to mend and stay silent.
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
