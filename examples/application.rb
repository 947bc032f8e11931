# frozen_string_literal: true

require "trunkline"

# A web application without a framework, the same for every server here. It finds its database by the PG* variables.
#
#   /             waits a tenth of a second for the database
#   /find?7       asks one short question
#   /report       does blocking work, which knows nothing of event loops, by `pipeline`
class Application
  include Trunkline::Pipelined

  def initialize
    @db = Trunkline.postgres(connections: 4, max_connections: Integer(ENV.fetch("MAX_CONNECTIONS", "16")))
  end

  def call(env)
    case env["PATH_INFO"]
    when "/" then text(@db.value("SELECT 'waited' FROM pg_sleep(0.1)"))
    when "/find" then text(@db.value("SELECT $1::int * 6", Integer(env["QUERY_STRING"])).to_s)
    when "/report" then text(pipeline { `echo reported` })
    else text("not found", 404)
    end
  end

  private

  def text(body, status = 200)
    [status, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
  end
end
