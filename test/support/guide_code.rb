# frozen_string_literal: true

# The code blocks of a guide, as programs that a test runs.
module GuideCode
  FOLDER = File.expand_path("../../guides", __dir__)
  private_constant :FOLDER

  # @param page [String] the guide's name, without its ending
  # @param first [Regexp] of the first line of the block
  # @return [String] the block
  # @raise [KeyError] there is none, or there are several
  def self.block(page, first)
    blocks = File.read(File.join(FOLDER, "#{page}.md"), encoding: "UTF-8").scan(/^```\w*\n(.*?)^```/m).flatten.grep(/\A#{first}/)
    blocks.size == 1 ? blocks.first : raise(KeyError, "#{blocks.size} blocks of #{page}.md begin with #{first.source}")
  end
end
