# frozen_string_literal: true

# A small Rails application that a probe watches: PROBE names the library and its file in probes/, MODE the adapter. It prints what the library has reported
# of each page, in JSON. The folder that it runs in has config/database.yml.
require "bundler/setup"
require "json"
require "logger"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require({ "stock" => "pg", "one_line" => "trunkline/postgresql", "adapter" => "trunkline" }.fetch(ENV.fetch("MODE")))
require "pg"
require_relative "probes/#{ENV.fetch("PROBE")}"

# Authors and their books.
class Library < Rails::Application
  config.root = Dir.pwd
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = true
  config.enable_reloading = false
  config.secret_key_base = "0" * 64
  config.logger = Logger.new(nil)
  config.hosts.clear
  config.active_record.async_query_executor = :global_thread_pool
  config.active_record.migration_error = false
  Probe.configure(config) if Probe.respond_to?(:configure)
end
Library.initialize!

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:authors) { |table| table.text :name, null: false }
  create_table(:books) do |table|
    table.belongs_to :author
    table.text :title
  end
end

# One of two models.
class Author < ActiveRecord::Base
  has_many :books
end

# The other one.
class Book < ActiveRecord::Base
  belongs_to :author
end

# What applications do with ActiveRecord.
class PagesController < ActionController::Base
  STATEMENTS = Enumerator.produce(1, &:succ) # their numbers

  def each_books = render(json: Author.order(:id).map { |author| author.books.order(:id).map(&:title) })
  def associated = render(json: Author.order(:id).map { |author| author.books.map(&:title).sort })
  def preloaded = render(json: Author.includes(:books).order(:id).map { |author| author.books.map(&:title).sort })
  def counted = render(json: [Book.where("title > ?", "a").count, Book.exists?(title: "none")])

  def written
    book = Book.transaction { Book.create!(author: Author.first, title: "new").tap { |made| made.update!(title: "newer") } }
    book.destroy
    render(json: Book.insert_all([{ title: "x" }]).length + Book.where(title: "x").delete_all)
  end

  def connection
    connection = ActiveRecord::Base.lease_connection
    render(json: [connection.select_value("SELECT 1"), connection.exec_query("SELECT $1::int AS one", "Mine", [2]).rows, connection.execute("SELECT 3 AS one").to_a])
  end

  def raw
    raw = ActiveRecord::Base.lease_connection.raw_connection
    name = "mine#{STATEMENTS.next}"
    raw.prepare(name, "SELECT $1::int")
    render(json: [raw.exec("SELECT 4"), raw.exec_params("SELECT $1::int", ["5"]), raw.exec_prepared(name, ["6"])].map { |result| result.getvalue(0, 0).to_i })
  end

  def sent = render(json: [Author.where("id > 0").load_async, Book.where("id > 0").load_async].map(&:size))

  def wrong
    Author.where("no_such = 1").to_a
  rescue ActiveRecord::StatementInvalid => error
    render(json: error.cause.class.name)
  end
end

Library.routes.draw { PagesController.action_methods.each { |page| get "/pages/#{page}", to: "pages##{page}" } }
%w[Ada Grace].each { |name| Author.create!(name: name).books.create!([{ title: "#{name} one" }, { title: "#{name} two" }]) }
application = Rack::MockRequest.new(Library)
ask = ->(page) { application.get("/pages/#{page}", "REMOTE_ADDR" => "127.0.0.1", "HTTP_ACCEPT" => "text/html", "HTTP_HOST" => "localhost") }
pages = PagesController.action_methods.sort
2.times { pages.each { |page| ask.call(page) } } # columns, types and the plans that pages need
ActiveRecord::Base.connection_pool.then do |pool| # the stock adapter asks each connection once how long an identifier may be, and for its search_path
  Array.new(pool.size) { pool.checkout }.each(&:max_identifier_length).each(&:schema_search_path).each { |connection| pool.checkin(connection) }
end
report = pages.to_h do |page|
  answer = nil
  told = Probe.watch { answer = ask.call(page) }
  raise "#{page}: #{answer.status} #{answer.body}" unless answer.status == 200

  [page, { "answer" => answer.body[/\A[^<]*/], "told" => told }]
end
puts "REPORT #{JSON.generate(report)}"
$stdout.flush
exit!
