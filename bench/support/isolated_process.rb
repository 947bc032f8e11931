# frozen_string_literal: true

# The other end of Isolated: makes one peer, calls its methods, answers on standard output, a line of JSON each.

require "json"

# The parent of this process says when it ends, also when a terminal's Ctrl-C reaches both.
trap("INT") { exit!(0) }
answers = $stdout.dup
$stdout.reopen($stderr)

name, options = ARGV
require_relative "peers/#{name}"
type = Trunkline::Bench::Peers.const_get(name.split("_").map(&:capitalize).join)
peer = nil

$stdin.each_line do |line|
  request = JSON.parse(line, symbolize_names: true)
  peer ||= type.new(**JSON.parse(options, symbolize_names: true))
  answers.puts JSON.generate(result: peer.public_send(request[:method], **request[:arguments]))
rescue StandardError => error
  answers.puts JSON.generate(error: error.full_message(highlight: false))
ensure
  answers.flush
end
