# frozen_string_literal: true

require "mkmf"

FOLDERS = %w[. bytes socket trunk postgres postgres/types memcached].freeze

$srcs = FOLDERS.flat_map { |folder| Dir[File.join(__dir__, folder, "*.c")].sort.map { |path| File.basename(path) } }
$VPATH.concat((FOLDERS - ["."]).map { |folder| File.join("$(srcdir)", folder) })
$INCFLAGS << " -I$(srcdir)"
$CFLAGS << " -std=gnu11 -O3 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden"

have_header("ruby/fiber/scheduler.h") or abort "Trunkline needs Ruby 3.1 or newer with its fiber scheduler interface"

create_makefile("trunkline/trunkline")
