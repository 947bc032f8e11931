# frozen_string_literal: true

require "rbconfig"

# What the extension is not written for is told in a sentence, before a compiler tells it in hundreds.
system = RbConfig::CONFIG["host_os"]
if system.match?(/mswin|mingw|cygwin/)
  abort "Trunkline does not run on Windows: it needs POSIX sockets and poll(2). It installs on Linux, and so in WSL 2 and in containers."
end
abort "Trunkline is a C extension for CRuby: #{RUBY_ENGINE} cannot load it" unless RUBY_ENGINE == "ruby"

require "mkmf"

FOLDERS = %w[
  . common bytes socket trunk/runtime trunk/requests trunk/connection trunk/balancer
  postgres/sql postgres/messages postgres/types postgres/rows postgres/copy postgres/statements postgres/session postgres/answers postgres/codec memcached
].freeze

$srcs = FOLDERS.flat_map { |folder| Dir[File.join(__dir__, folder, "*.c")].sort.map { |path| File.basename(path) } }
$VPATH.concat((FOLDERS - ["."]).map { |folder| File.join("$(srcdir)", folder) })
$INCFLAGS << " -I$(srcdir)"
$CFLAGS << " -std=gnu11 -O3 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden"

have_header("ruby/fiber/scheduler.h") or abort "Trunkline needs Ruby 3.1 or newer with its fiber scheduler interface"

# POSIX's, and one flag that Linux, the BSDs and macOS have. Nothing else of the system is called; MSG_NOSIGNAL is used where there is one.
POSIX = {
  "dlopen" => -> { have_func("dlopen", "dlfcn.h") || have_library("dl", "dlopen", "dlfcn.h") },
  "poll" => -> { have_func("poll", "poll.h") },
  "pthread_atfork" => -> { have_func("pthread_atfork", "pthread.h") },
  "clock_gettime with CLOCK_MONOTONIC" => -> { have_func("clock_gettime(CLOCK_MONOTONIC, 0)", "time.h") },
  "recv with MSG_DONTWAIT" => -> { have_macro("MSG_DONTWAIT", "sys/socket.h") },
  "the overflow built-ins of GCC 5 or clang 3.4" => -> { try_link("int main(int count, char **words) { (void)words; return __builtin_mul_overflow(count, 2, &count); }") }
}.freeze

missing = POSIX.reject { |_, there| there.call }.keys
abort "Trunkline does not build on #{system}, which lacks #{missing.join(", ")} (mkmf.log tells more)" if missing.any?

create_makefile("trunkline/trunkline")
