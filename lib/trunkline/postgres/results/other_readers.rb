# frozen_string_literal: true

require_relative "../../other_names"

module Trunkline
  module Postgres
    # What the methods of results are called in pg and in drivers of other languages.
    OtherReaders = OtherNames.new(
      "rows[number][column]" => %i[getvalue dig],
      "rows.first(number)" => %i[fetchmany],
      "rows" => %i[tuple_values fetch_all fetchall],
      "rows.each { |row| ... }" => %i[each_row each_array],
      "each { |row| ... }" => %i[each_record each_tuple stream_each],
      "first" => %i[one fetch fetchone fetch_row next_row single row],
      "value" => %i[scalar single_value fetchval],
      "to_a" => %i[hashes to_hash all records hash_rows],
      "size" => %i[ntuples num_tuples num_rows row_count rowcount],
      "columns" => %i[fname fnames column_names field_names headers keys description],
      "columns.size" => %i[nfields num_fields column_count field_count],
      "types" => %i[ftype ftypes column_types],
      "affected_rows" => %i[cmd_tuples rows_affected affected num_affected changes],
      "column(name)" => %i[field_values column_values],
      ", as Ruby collects a result like any object" => %i[clear free],
      ", as what the server refuses raises an error" => %i[check error_message result_status],
      ", as values are converted by the types of their columns" => %i[map_types! type_map type_map=],
      ", as an insertion returns what returning: names, as in insert(table, row, returning: :id).value" => %i[insert_id last_insert_id]
    )
    private_constant :OtherReaders
  end
end
