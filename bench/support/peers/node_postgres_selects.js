// Promises of node-postgres over its pool, with prepared statements.
"use strict";

const { Pool } = require("pg");
const { serve } = require("./selects.js");

serve(({ host, port, user, database, application_name, connections }) => {
  const pool = new Pool({ host, port, user, database, application_name, max: connections, idleTimeoutMillis: 0 });
  const text = "SELECT balance FROM accounts WHERE id = $1";
  return async (id) => (await pool.query({ name: "balance", text, values: [id] })).rows[0].balance;
});
