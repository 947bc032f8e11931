# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

# A library that a private server loads before all others, so that its processes end without destructors: PostgreSQL has ended its work when it calls
# exit(3), and what follows, the destructors of 65 libraries and OpenSSL's, takes 240 of the 725 page faults of a backend that answers one query. On a
# virtual machine whose page faults are expensive, such a backend takes 30 ms of a processor with the library and 47 ms without.
module ShortExit
  # Programs that a server starts, as for COPY FROM PROGRAM, end as usual: they write their last output as they exit.
  SOURCE = <<~C
    #include <stdlib.h>
    #include <unistd.h>

    void exit(int status) { _exit(status); }

    __attribute__((constructor)) static void preload_into_no_child(void) { unsetenv("LD_PRELOAD"); }
  C
  TRIAL = "true" # a program that any library can be loaded into
  private_constant :SOURCE, :TRIAL

  module_function

  # Compiles the library. Without a C compiler, or where the system loads no library from there, nothing is left at the path.
  # @param path [String] of the library, which any account can read
  # @param compiler [String] command that runs a C compiler
  # @return [Boolean] whether it can be loaded
  def build(path, compiler: RbConfig::CONFIG["CC"])
    return true if compiled?(path, compiler) && File.chmod(0o755, path) && loads?(path)

    FileUtils.rm_f(path)
    false
  end

  def compiled?(path, compiler)
    Open3.capture2e(*compiler.split, "-shared", "-fPIC", "-x", "c", "-", "-o", path, stdin_data: SOURCE).last.success?
  rescue SystemCallError
    false
  end

  # The system's loader goes on without a library that it cannot load, and says so.
  def loads?(path) = Open3.capture2e({ "LD_PRELOAD" => path }, TRIAL).then { |output, status| status.success? && output.empty? }
  private_class_method :compiled?, :loads?
end
