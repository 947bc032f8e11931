// Promises of postgres.js, which pipelines over its connections and prepares statements itself.
"use strict";

const postgres = require("postgres");
const { serve } = require("./selects.js");

serve(({ host, port, user, database, application_name, connections }) => {
  const sql = postgres({
    path: `${host}/.s.PGSQL.${port}`, user, database, max: connections, connection: { application_name },
  });
  return async (id) => (await sql`SELECT balance FROM accounts WHERE id = ${id}`)[0].balance;
});
