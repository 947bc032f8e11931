# frozen_string_literal: true

require_relative "../../other_names"

module Trunkline
  module Postgres
    # What the methods of results are called in pg and in drivers of other languages.
    OtherReaders = OtherNames.new(
      "rows[number][column]" => %i[getvalue],
      "rows" => %i[tuple_values fetch_all fetchall],
      "rows.each { |row| ... }" => %i[each_row each_array],
      "each { |row| ... }" => %i[each_record each_tuple stream_each],
      "first" => %i[one fetch fetchone fetch_row next_row single row],
      "value" => %i[scalar single_value fetchval],
      "to_a" => %i[hashes to_hash all records hash_rows],
      "size" => %i[ntuples num_tuples num_rows row_count rowcount],
      "columns" => %i[fname fnames column_names field_names headers keys],
      "columns.size" => %i[nfields num_fields column_count field_count],
      "types" => %i[ftype ftypes column_types],
      "affected_rows" => %i[cmd_tuples rows_affected affected num_affected changes],
      "column(name)" => %i[field_values column_values],
      ", as Ruby collects a result like any object" => %i[clear free]
    )
    private_constant :OtherReaders
  end
end
