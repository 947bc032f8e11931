# frozen_string_literal: true

require "test_helper"

# Code, tests and guides speak of requests, callers, connections and servers by these names, in the standard terms of the field. Pronouns for
# persons in their place leave open which of them is meant; words that had two meanings here, or none outside, do not come back.
class WordsTest < Trunkline::TestCase
  PLACES = "{README.md,CONTRIBUTING.md,SECURITY.md,CHANGELOG.md,{lib,ext,sig,guides,rakelib,bench,test}/**/*.{rb,rake,yml,c,h,rbs,md,ru,js,py,html,sh}}"
  ROOT = File.expand_path("..", __dir__)
  # What is generated or kept from others: pages of figures, and other projects' own names of tests.
  KEPT = %r{\Abench/results/.*\.html\z|\Atest/hosts/others/}
  WORDS = %w[who whom whoever nobody somebody everybody anybody he him his himself crew crews aboard heir heirs world worlds].freeze
  # The names of accounts.
  NAMES = /\bnobody\b(?=\])/
  # Of names, too: test_one_who_waits. Not within words.
  PATTERN = /(?<![a-z])(?:#{WORDS.join("|")})(?![a-z])/i
  # Names of methods, classes and variables, in Ruby and in C, that did not tell what they stand for; behind each is the one in its stead.
  RENAMED = {
    "answers" => "ResponseReader, responses", "Asking" => "Executing", "break!" => "mark_broken", "depart" => "after_leave",
    "fall_out" => "end_with_loss", "forsake" => "close_with_abandoned", "give_place" => "replace_connection", "Holding" => "ScopedValue",
    "look_after_fork" => "renew_after_fork", "oblige" => "set_limits", "Place" => "CallerQueue::Entry", "run_out" => "expire_request",
    "Witness" => "GCSentinel", "Answers" => "ResponseReader",
    "give_up" => "fail, lose", "given_up" => "abandoned_head", "GivenUp" => "Abandonment", "forsaken" => "all_abandoned?", "verdict" => "classification",
    "judge" => "classifier", "meaning" => "parse_context", "Conversation" => "HandshakeIO", "carry" => "perform", "carrier" => "base, keeper", "carriers" => "keepers", "late" => "deadline_passed?", "is_late" => "deadline_has_passed",
    "place" => "slot, index, position",
    # A query is sent, a host or an idle connection is checked, a cancel is requested, a memcached server is probed.
    "ask" => "query, fetch, check, probe, request", "asked" => "requested, fetched, sent", "asking" => "in flight", "question" => "query, check",
    "questioned" => "check_sent", "connection_io_ask" => "connection_io_call",
    # Idle connections are checked, memcached servers probed, replies read; notices are announced, and what is found is reported.
    "look" => "check, poll, probe, read_arrived", "looking" => "checking", "looked" => "checked_at", "looks" => "checks, probes",
    "look_again" => "recheck, refresh", "look_at" => "check_at", "tell" => "report, announce, describe", "telling" => "announcer",
    "hear" => "on_notices", "heed" => "apply", "asker" => "owner", "patience" => "wait_until, timeout", "crowd" => "waiting_kind",
    "held_up" => "head_blocks?", "line_up" => "enqueue", "lined_up" => "queued",
    "outlasts" => "continues_after?", "WaitingLine" => "CallerQueue", "WaitInLine" => "QueuedWait", "LeaseTidying" => "LeaseCleanup",
    # The pool has callers that wait; a server ends a session with an error, and TLS ends with close_notify.
    "crowded" => "callers_waiting", "farewell" => "closing_error, send_close_notify",
    # Answers are read for callers that have left, or as far as they have arrived; a host name resolves to another address.
    "catch_up" => "read_unattended, read_arrived", "moved" => "address_changed", "rouse" => "wake_each", "pursue" => "advance"
  }.freeze
  # `answers` is a plural in sentences, and Answers begins some.
  CODE = /(?:def |\.|@|:|->\()(?:self\.)?(?:#{(RENAMED.keys - ["break!"]).join("|")})(?![a-z_!?])|\b(?:class|module) (?:Answers|Asking|Holding|Place|Witness|WaitingLine|WaitInLine|LeaseTidying)\b|\bbreak!|\b(?:ask|asked)_\w+(?:[(?]|\b =)|[A-Z]\w+Question\b|\bQUESTION\b|rb_intern\("(?:#{RENAMED.keys.join("|")})"\)/
  # Its own variable: what a server has said of its type.
  OTHERS = %w[lib/trunkline/postgres/connect/server_type.rb].freeze
  MANUAL = /\b(?:ask(?:s|ed|ing)?|held up|holds? up|in line|go(?:es|ing)? on|went on|takes? in|patience)\b/i
  # Of the library, the extension and the signatures: `#` and `/* */`.
  COMMENT = %r{(?:^\s*#|/?\*\s).*\b(?:ask(?:s|ed|ing)?|held up|crowded|in line|takes? in|took in|has it that|go(?:es|ing)? on|went on)\b}i
  private_constant :ROOT, :PLACES, :KEPT, :WORDS, :NAMES, :PATTERN, :RENAMED, :CODE, :OTHERS, :MANUAL, :COMMENT

  def test_terms_of_the_field
    files = Dir.glob(PLACES, base: ROOT).grep_v(KEPT) - ["test/words_test.rb"]
    assert_operator files.size, :>, 100
    found = files.flat_map do |path|
      File.readlines(File.join(ROOT, path), encoding: "UTF-8").each.with_index(1).filter_map do |line, number|
        "#{path}:#{number}: #{line.strip}" if line.gsub(NAMES, "").match?(PATTERN)
      end
    end
    assert_empty found, "say which caller, request, connection or server is meant"
  end

  # A client sends, checks, probes and queries; callers wait in a queue. Code and quoted messages are not searched.
  def test_the_manual_has_no_words_of_its_own
    found = Dir.glob("{README,SECURITY,CHANGELOG,CONTRIBUTING,guides/*,bench/README,bench/results/*-profile}.md", base: ROOT).flat_map do |path|
      prose = File.read(File.join(ROOT, path), encoding: "UTF-8").gsub(/^```.*?^```|`[^`\n]+`/m) { |code| code.gsub(/[^\n]/, "") }
      prose.lines.each.with_index(1).filter_map { |line, number| "#{path}:#{number}: #{line.strip}" if line.match?(MANUAL) }
    end
    assert_empty found
  end

  def test_comments_have_no_words_of_their_own
    found = Dir.glob("{lib,ext,sig}/**/*.{rb,c,h,rbs}", base: ROOT).flat_map do |path|
      File.readlines(File.join(ROOT, path), encoding: "UTF-8").each.with_index(1).filter_map { |line, number| "#{path}:#{number}: #{line.strip}" if line.match?(COMMENT) }
    end
    assert_empty found
  end

  def test_names_that_told_nothing_do_not_come_back
    found = (Dir.glob("{lib,ext,sig}/**/*.{rb,c,h,rbs}", base: ROOT) - OTHERS).flat_map do |path|
      File.readlines(File.join(ROOT, path), encoding: "UTF-8").each.with_index(1).filter_map { |line, number| "#{path}:#{number}: #{line.strip}" if line.match?(CODE) }
    end
    assert_empty found, RENAMED.map { |old, new| "#{old}: #{new}" }.join(", ")
  end
end
