// What the peers in JavaScript share: the accounts, and the conversation with the bench's own process.
"use strict";

const readline = require("readline");

const STRIDE = 48271; // as of Accounts

const account = (number, rows) => ((number * STRIDE) % rows) + 1;

// Where a libpq URI says that the server listens.
function place(uri) {
  const parameters = new URLSearchParams(uri.slice(uri.indexOf("?")));
  return {
    host: parameters.get("host"), port: Number(parameters.get("port")), user: parameters.get("user"), database: "postgres",
    application_name: process.env.PGAPPNAME,
  };
}

// So many callers ask for one balance after the other.
async function shareOut(balance, count, { callers, rows }) {
  const share = Math.floor(count / callers);
  const caller = async (first) => {
    for (let number = first; number < first + share; number++) await balance(account(number, rows));
  };
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index * share)));
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / 1e6, objects: null, result: share * callers };
}

// Answers requests, a line of JSON each, until there are no more.
async function serve(connect) {
  process.on("SIGINT", () => {}); // the bench's own process says when it ends
  const options = JSON.parse(process.argv[2]);
  const balance = connect({ ...options, ...place(options.uri) });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let answer;
    try {
      const result = request.method === "answers"
        ? await Promise.all(request.arguments.ids.map(balance))
        : await shareOut(balance, request.arguments.count, options);
      answer = { result };
    } catch (error) {
      answer = { error: String(error.stack) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

module.exports = { serve };
