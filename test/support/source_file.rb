# frozen_string_literal: true

# A file of the project, with what it requires or includes.
class SourceFile
  ROOT = File.expand_path("../..", __dir__)
  EXTENSION = "ext/trunkline"
  private_constant :ROOT, :EXTENSION

  # @param pattern [String] below the project's folder
  # @return [Array<SourceFile>]
  def self.all(pattern)
    Dir.glob(pattern, base: ROOT).sort.map { |path| new(path) }
  end

  # @return [String] below the project's folder
  attr_reader :path

  def initialize(path)
    @path = path
  end

  def text = @text ||= File.read(File.join(ROOT, path), encoding: "UTF-8")

  def lines = text.lines.size

  def match?(pattern) = File.fnmatch?(pattern, path, File::FNM_PATHNAME)

  # @return [Array<SourceFile>] the project's files that this one names itself
  def uses
    path.end_with?(".rb") ? required : included
  end

  # @return [Array<SourceFile>] this file and all that it includes, directly or not
  def family(seen = {})
    return [] if seen.key?(path)

    seen[path] = true
    [self, *uses.flat_map { |used| used.family(seen) }]
  end

  def to_s = path

  private

  def required
    relative = text.scan(/^\s*require_relative "([^"]+)"/).flatten.map { |name| File.join(folder, "#{name}.rb") }
    absolute = text.scan(/^\s*require "(trunkline[^"]*)"/).flatten.map { |name| "lib/#{name}.rb" }
    existing(relative + absolute)
  end

  def included
    names = text.scan(/^\s*#\s*include "([^"]+)"/).flatten
    existing(names.flat_map { |name| [File.join(folder, name), File.join(EXTENSION, name)] })
  end

  def folder = File.dirname(path)

  def existing(paths)
    paths.map { |path| File.expand_path(path, "/").delete_prefix("/") }.uniq
         .select { |path| File.file?(File.join(ROOT, path)) }.map { |path| self.class.new(path) }
  end
end
