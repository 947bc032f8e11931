# frozen_string_literal: true

require "open3"
require "tmpdir"

# A headless browser, which bin/setup installs.
module Browser
  PROGRAMS = %w[chromium-headless-shell chromium google-chrome].freeze
  # Root cannot use the sandbox, and containers have little shared memory.
  OPTIONS = %w[--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions].freeze
  PATIENCE = 600 # seconds
  private_constant :PROGRAMS, :OPTIONS, :PATIENCE

  module_function

  # Opens a page and lets its scripts run.
  #
  # @param url [String]
  # @param time [Integer] milliseconds of the page's virtual time, which may be less in real time
  # @return [String] the page's HTML as it is then
  def look_at(url, time:) = open(url, time: time).first

  # Opens a page and lets its scripts run.
  #
  # @param url [String]
  # @param time [Integer] as for {.look_at}
  # @param options [Array<String>] further ones of the browser's command line
  # @return [Array(String, Array<String>)] the page's HTML as it is then, and what was written to the console
  def open(url, time:, options: [])
    Dir.mktmpdir do |profile|
      html, log, status = Open3.capture3("timeout", "-s", "KILL", PATIENCE.to_s, program, *OPTIONS, *options, "--user-data-dir=#{profile}",
                                         "--enable-logging=stderr", "--virtual-time-budget=#{time}", "--dump-dom", url)
      raise "the browser ended with #{status}:\n#{log}" unless status.success?

      [html, log.lines(chomp: true).grep(/CONSOLE/)]
    end
  end

  def program
    folders = ENV.fetch("PATH").split(":")
    PROGRAMS.find { |name| folders.any? { |folder| File.executable?(File.join(folder, name)) } } || raise("no browser is installed: run bin/setup")
  end
end
