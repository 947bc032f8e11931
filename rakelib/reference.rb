# frozen_string_literal: true

require "stringio"
require "yard"

# The reference of the public API, generated from the comments. What is marked :nodoc:, or is in a private constant, is internal and left out.
class Reference
  ROOT = File.expand_path("..", __dir__)
  SOURCES = File.join(ROOT, "lib/**/*.rb")
  # Errors by the server's names, which are self-explanatory; and adapters that implement another library's API, which is documented there.
  DOCUMENTED_ELSEWHERE = %r{\Alib/(trunkline/errors/sqlstate\.rb|trunkline/(active_record|sequel|rails)/|active_record/|sequel/)}
  FOLDER = "doc"
  private_constant :ROOT, :SOURCES, :DOCUMENTED_ELSEWHERE

  # Constants may be the extension's, which YARD does not read.
  module ConstantsOfTheExtension
    def process
      super
    rescue YARD::Parser::UndocumentableError
      nil
    end
  end
  YARD::Handlers::Ruby::PrivateConstantHandler.prepend(ConstantsOfTheExtension)

  # The folders of YARD's templates, which it looks up on the disk for each part of each page: most of the time went there.
  module RememberedFolders
    private

    # The caller changes the array.
    def find_template_paths(template, path) = ((@found ||= {})[[template&.full_paths.object_id, path]] ||= super).dup
  end
  YARD::Templates::Engine.singleton_class.prepend(RememberedFolders)

  # The same for the files in them.
  module RememberedFiles
    def find_nth_file(name, index = 1)
      folders = full_paths
      @found, @found_in = {}, folders unless folders.equal?(@found_in)
      @found.fetch([name, index]) { |key| @found[key] = super }
    end
  end
  YARD::Templates::Template::ClassMethods.prepend(RememberedFiles)

  # @return [Array<String>] YARD's warnings about the comments
  attr_reader :warnings

  # Reads all sources.
  def initialize
    @lines = Hash.new { |files, file| files[file] = File.readlines(File.expand_path(file, ROOT), encoding: Encoding::UTF_8) }
    YARD::Registry.clear
    @warnings = warnings_of { Dir.chdir(ROOT) { YARD.parse(Dir[SOURCES].map { |path| path.delete_prefix("#{ROOT}/") }) } }
  end

  # @return [Array<String>] public classes, modules and methods without a comment
  def undocumented
    silent = shown.grep_v(YARD::CodeObjects::ConstantObject).select { |object| object.docstring.blank?(false) && !elsewhere?(object) }
    silent.map(&:path).sort
  end

  # Writes it as HTML.
  #
  # @param folder [String] made where there is none
  # @return [Array<String>] what YARD has to say against it: a link that leads nowhere
  def write(folder = File.join(ROOT, FOLDER))
    (YARD::Registry.all - shown).each { |object| YARD::Registry.delete(object) }
    warnings_of { YARD::Templates::Engine.generate(shown.grep(YARD::CodeObjects::NamespaceObject) + [YARD::Registry.root], options(folder)) }
  end

  private

  def warnings_of
    log = StringIO.new
    before = YARD::Logger.instance.io
    YARD::Logger.instance.io = log
    yield
    log.string.lines(chomp: true)
  ensure
    YARD::Logger.instance.io = before
  end

  def shown = @shown ||= YARD::Registry.all.select { |object| public_to_the_top?(object) }

  def options(folder)
    YARD::Templates::TemplateOptions.new.tap do |options|
      options.reset_defaults
      options.update(format: :html, template: :default, title: "Trunkline", markup: :rdoc, files: [],
                     serializer: YARD::Serializers::FileSystemSerializer.new(basepath: folder))
    end
  end

  def public_to_the_top?(object)
    until object.root?
      return false if object.visibility != :public || marked?(object)

      object = object.namespace
    end
    true
  end

  def marked?(object) = object.files.any? && object.files.all? { |file, line| line && @lines[file][line - 1].include?(":nodoc:") }

  # A namespace of another library is documented there.
  def elsewhere?(object)
    object.files.all? { |file,| file.match?(DOCUMENTED_ELSEWHERE) } || !object.path.start_with?("Trunkline")
  end
end
