# frozen_string_literal: true

require_relative "../../other_names"

module Trunkline
  module Postgres
    # What sending a row of a COPY is called in pg, psycopg, and for an IO.
    OtherRows = OtherNames.new("<< with an Array of values, or with data as a String" => %i[write write_row put_row put_copy_data put_line add puts print push append])
    private_constant :OtherRows
  end
end
