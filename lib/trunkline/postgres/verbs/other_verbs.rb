# frozen_string_literal: true

require_relative "../../other_names"

module Trunkline
  module Postgres
    # What the verbs are called in pg, Sequel, ActiveRecord, sqlite3 and drivers of other languages.
    OtherVerbs = OtherNames.new(
      "query(sql, *values)" => %i[
        exec exec_params exec_query async_exec async_exec_params sync_exec sync_exec_params execute run select select_all select_rows find_by_sql fetch
        fetch_all fetchall all sql query_all rows unsafe
      ],
      "query(sql, *values), which prepares the statement, or prepare(sql), whose result has query" => %i[exec_prepared async_exec_prepared],
      "query(File.read(path), *values), or execute_script(File.read(path)) for several statements" => %i[file query_file],
      "query(\"SELECT ...\", *values)" => %i[[] from],
      "first(sql, *values)" => %i[row select_one fetch_one fetchone fetch_row first_row get_first_row query_first query_one find_one one],
      "value(sql, *values)" => %i[select_value fetch_value fetchval query_value query_single_value get_first_value scalar single_value get],
      "value(\"SELECT count(*) ...\", *values)" => %i[count exists? any?],
      "value(\"SHOW server_version\"), as for each setting" => %i[server_version version parameter_status],
      "value(\"SELECT pg_catalog.pg_backend_pid()\") in a session, as each query may use another connection" => %i[backend_pid],
      "explain(sql, *values, analyze: true)" => %i[explain_analyze],
      "column(sql, *values)" => %i[select_values fetch_column query_column pluck],
      "async(sql, *values), which returns a Future" => %i[query_async async_query send_query send_query_params],
      "stream(sql, *values) { |row| ... }" => %i[each each_row find_each stream_each cursor use_cursor declare],
      "transaction { |transaction| ... }, which begins and ends it" => %i[begin begin_transaction start_transaction commit rollback savepoint],
      "query here, as no connection is taken from a pool; session { |session| ... } reserves one" => %i[
        checkout reserve release connection with_connection lease_connection synchronize acquire pool
      ],
      ", as the statements of all callers are pipelined; batch { |batch| batch.query(sql, *values) } sends several together" => %i[
        pipeline pipelined enter_pipeline_mode pipeline_sync
      ],
      ", as each statement outside of transaction { } is committed by itself" => %i[autocommit autocommit=],
      ", as values are converted by the types of their columns and parameters" => %i[type_map_for_results= type_map_for_queries=],
      ", as the first query connects, and a lost connection is replaced at the next call" => %i[connect open reset reconnect reconnect!],
      "async(sql, *values), whose Future has cancel, or deadline: for a query" => %i[cancel],
      "copy_in(sql) { |copy| copy << row }" => %i[put_copy_data copy_from copy_into copy_data],
      "copy_out(sql) { |row| ... }" => %i[get_copy_data copy_table copy_to],
      "listen(channel)" => %i[wait_for_notify on_notify subscribe notifies],
      "listen(channel) { |notification| ... }, which ends with its block" => %i[unlisten],
      "escape_literal(text); values after the SQL, for $1, $2, ..., need none" => %i[escape escape_string quote literal],
      "escape_identifier(name)" => %i[quote_ident quote_identifier quote_column_name quote_table_name],
      "insert(table, rows)" => %i[insert_all insert_many multi_insert bulk_insert import create],
      "query(\"INSERT ... ON CONFLICT ...\", *values)" => %i[upsert upsert_all],
      "insert(table, row, returning: :id).value" => %i[insert_id last_insert_id last_insert_row_id],
      "query(sql, *values).affected_rows" => %i[affected_rows changes],
      "query(\"UPDATE ... WHERE ...\", *values)" => %i[update update_all],
      "query(\"DELETE FROM ... WHERE ...\", *values)" => %i[delete delete_all],
      "batch { |batch| batch.query(sql, *values) }, or for SQL without values execute_script(sql)" => %i[execute_batch exec_batch execute_many executemany multi],
      "on_notice { |notice| ... }" => %i[set_notice_receiver set_notice_processor],
      "close" => %i[end finish shutdown quit close! disconnect!],
      "closed?" => %i[finished?],
      "ping" => %i[connected? active? alive? status]
    )
    # The same for a prepared statement.
    OtherCalls = OtherNames.new("query(*values)" => %i[execute exec call run all], "value(*values)" => %i[scalar single_value])
    # The same for the statements of a batch, whose results the batch returns.
    OtherBatchCalls = OtherNames.new("query(sql, *values), and take its result from what batch returns" => %i[first value column exec execute run insert async])
    private_constant :OtherVerbs, :OtherCalls, :OtherBatchCalls
  end
end
