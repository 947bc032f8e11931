# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "reference"

# The documentation site, which opens from the file system: the pages of the repository by nanoc, the reference by YARD.
class Site
  SOURCES = File.expand_path("../site", __dir__)
  OUTPUT = File.expand_path("../tmp/site", __dir__)
  private_constant :SOURCES

  # @return [String] its first page
  # @raise [RuntimeError] what nanoc said, or which links of the reference lead nowhere
  def write
    FileUtils.rm_rf(OUTPUT)
    output, status = Open3.capture2e("bundle", "exec", "nanoc", "compile", chdir: SOURCES)
    status.success? or raise output

    warnings = Reference.new.write(File.join(OUTPUT, "reference"))
    warnings.empty? or raise warnings.join("\n")

    File.join(OUTPUT, "index.html")
  end
end
