# frozen_string_literal: true

require_relative "../../other_names"

module Trunkline
  module Postgres
    # What the verbs are called in pg, Sequel, ActiveRecord, sqlite3 and drivers of other languages.
    OtherVerbs = OtherNames.new(
      "query(sql, *values)" => %i[
        exec exec_params exec_query async_exec async_exec_params sync_exec sync_exec_params execute run select select_all select_rows find_by_sql fetch
        fetch_all fetchall all sql
      ],
      "query(sql, *values), which prepares the statement, or prepare(sql), whose result has query" => %i[exec_prepared async_exec_prepared],
      "first(sql, *values)" => %i[select_one fetch_one fetchone fetch_row first_row get_first_row query_first query_one find_one one],
      "value(sql, *values)" => %i[select_value fetch_value fetchval query_value query_single_value get_first_value scalar single_value get],
      "column(sql, *values)" => %i[select_values fetch_column query_column pluck],
      "async(sql, *values), which returns a Future" => %i[async_query send_query send_query_params],
      "stream(sql, *values) { |row| ... }" => %i[each each_row find_each stream_each cursor use_cursor declare],
      "transaction { |transaction| ... }, which begins and ends it" => %i[begin begin_transaction start_transaction commit rollback savepoint],
      "query here, as no connection is taken from a pool; session { |session| ... } reserves one" => %i[
        checkout connection with_connection lease_connection synchronize acquire pool
      ],
      "copy_in(sql) { |copy| copy << row }" => %i[put_copy_data copy_from copy_into copy_data],
      "copy_out(sql) { |row| ... }" => %i[get_copy_data copy_table copy_to],
      "listen(channel)" => %i[wait_for_notify on_notify subscribe notifies],
      "escape_literal(text); values after the SQL, for $1, $2, ..., need none" => %i[escape escape_string quote literal],
      "escape_identifier(name)" => %i[quote_ident quote_identifier quote_column_name quote_table_name],
      "insert(table, rows)" => %i[insert_all insert_many multi_insert bulk_insert import create],
      "query(\"UPDATE ... WHERE ...\", *values)" => %i[update update_all],
      "query(\"DELETE FROM ... WHERE ...\", *values)" => %i[delete delete_all],
      "batch { |batch| batch.query(sql, *values) }, or for SQL without values execute_script(sql)" => %i[execute_batch exec_batch execute_many executemany multi],
      "on_notice { |notice| ... }" => %i[set_notice_receiver set_notice_processor],
      "close" => %i[finish shutdown quit close! disconnect!],
      "ping" => %i[connected? active? alive? status]
    )
    # The same for a prepared statement.
    OtherCalls = OtherNames.new("query(*values)" => %i[execute exec call run all], "value(*values)" => %i[scalar single_value])
    # The same for the statements of a batch, whose results the batch returns.
    OtherBatchCalls = OtherNames.new("query(sql, *values), and take its result from what batch returns" => %i[first value column exec execute run insert async])
    private_constant :OtherVerbs, :OtherCalls, :OtherBatchCalls
  end
end
