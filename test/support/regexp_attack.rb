# frozen_string_literal: true

require "ripper"

# The regular expressions of a folder of Ruby files, and texts that make a backtracking matcher retry repeatedly. Ruby before 3.2 does not memoize its
# attempts.
class RegexpAttack
  SIGNS = ["\"", "'", "\\", "$", "-", "/", "*", ",", "[", "(", ":", "="].freeze
  PLAIN = [" ", "\n", "a", "0"].freeze
  # Repetitions: the few show an exponential matcher at the first number that is enough, and two more confirm it; the many show a quadratic one, and
  # four times as many confirm it.
  FEW = (12..22).step(2)
  MANY = 1_000
  # Processor seconds. A linear matcher needs less than a tenth of the most.
  MOST = 0.005
  # Four times the text takes a quadratic matcher sixteen times as long.
  GROWTH = 9
  # Attempts, as one may be slow because of the machine.
  ATTEMPTS = 5
  # As it is written in a line.
  COMPOSED = %r{(?<=[ (])/[^/\n]*\#\{[A-Z_]+\}[^/\n]*/[mixn]*}
  NAME_OF = Module.instance_method(:name)
  private_constant :COMPOSED, :NAME_OF, :SIGNS, :PLAIN, :FEW, :MANY, :MOST, :GROWTH, :ATTEMPTS

  # @param folder [String] whose Ruby files are searched
  # @return [Hash{Regexp => String}] each regular expression without interpolation, and the file and line where it is
  def self.literals(folder)
    Dir[File.join(folder, "**/*.rb")].sort.each_with_object({}) do |path, found|
      Ripper.lex(File.read(path)).each_cons(3) do |(place, kind), (_, inner, text), (_, last, ending)|
        next unless kind == :on_regexp_beg && inner == :on_tstring_content && last == :on_regexp_end

        found[compile(text, ending)] ||= "#{path.delete_prefix("#{folder}/")}:#{place.first}"
      end
    end
  end

  # @param folder [String] whose Ruby files are searched, and have been loaded
  # @param namespace [Module] in which they define constants
  # @return [Hash{Regexp => String}] each regular expression in which constants of one module are interpolated, and that module and its text
  def self.composed(folder, namespace)
    texts = Dir[File.join(folder, "**/*.rb")].flat_map { |path| File.read(path).scan(COMPOSED) }.uniq
    owners = ObjectSpace.each_object(Module).select { |owner| NAME_OF.bind_call(owner)&.start_with?(namespace.name) }
    texts.product(owners).each_with_object({}) do |(text, owner), found|
      next unless text.scan(/#\{([A-Z_]+)\}/).flatten.all? { |name| owner.const_defined?(name, false) }

      found[owner.module_eval(text)] = "#{owner} #{text}"
    end
  end

  def self.compile(text, ending)
    options = { "m" => Regexp::MULTILINE, "i" => Regexp::IGNORECASE, "x" => Regexp::EXTENDED, "n" => Regexp::NOENCODING }
    Regexp.new(text.gsub("\\/", "/"), ending.chars.sum { |letter| options.fetch(letter, 0) })
  end
  private_class_method :compile

  def initialize(regexp)
    @regexp = regexp
  end

  # @return [String, nil] a text for which it takes more than linear time
  def weakness
    units.each do |unit|
      openings.each { |opening| return "#{opening.inspect} and #{unit.inspect} repeated" if slow?(opening, unit) }
    end
    nil
  end

  private

  # Letters that the expression contains make it continue.
  def openings = ["", "\"", *@regexp.source.scan(/(?<!\\)[A-Za-z]{3,}/).first(3)].uniq

  def units
    own = @regexp.source.scan(/(?<![\\\[])[A-Za-z]{3,}/).first(3)
    letters = PLAIN + SIGNS.select { |sign| @regexp.source.include?(sign) }
    [*letters, *letters.permutation(2).map(&:join), "/**/", *own, *own.product([" ", "'", "="]).map(&:join)].uniq
  end

  # A matcher does not begin without the text that must be in each match.
  def needed = @needed ||= @regexp.source.scan(/[A-Za-z]{3,}|[^\w\s\\]{1,2}/).uniq.join

  def slow?(opening, unit) = (1..ATTEMPTS).all? { slow_this_time?(opening, unit) }

  def slow_this_time?(opening, unit)
    return true if FEW.any? { |few| seconds(opening, unit, few) > MOST && seconds(opening, unit, few + 2) > MOST * 2 }

    many = seconds(opening, unit, MANY)
    many > MOST && seconds(opening, unit, MANY * 4) > many * GROWTH
  end

  def seconds(opening, unit, times)
    text = "#{opening}#{unit * times}\u0001#{needed}\u0001"
    text = text.b if @regexp.fixed_encoding? && @regexp.encoding != Encoding::UTF_8
    before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    text.scan(@regexp)
    Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
  end
end
