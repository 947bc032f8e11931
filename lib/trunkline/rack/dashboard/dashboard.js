"use strict";

// Asks for the figures over and over; what is shown are the differences between two answers of one process.
const PAUSE = 2000; // ms
const POINTS = 150;
const SHOWN_STATEMENTS = 30;

const previous = new Map(); // process id -> its last answer
const curves = { requests: new Map(), in_flight: new Map(), backlog: new Map() }; // chart -> name -> points
const charts = {};

const element = (id) => document.getElementById(id);
const round = (number, digits) => (Number.isFinite(number) ? number.toFixed(digits) : "–");

function note(chart, name, time, value) {
  const points = curves[chart].get(name) || [];
  points.push([time, value]);
  if (points.length > POINTS) points.shift();
  curves[chart].set(name, points);
}

function draw(chart) {
  const data = [...curves[chart]].map(([name, points]) => ({ name, data: points }));
  const scales = { x: { ticks: { maxRotation: 0, autoSkipPadding: 20 } } };
  const options = { points: false, curve: false, min: 0, legend: "bottom", library: { animation: false, scales } };
  if (charts[chart]) charts[chart].updateData(data);
  else charts[chart] = new Chartkick.LineChart(chart, data, options);
}

// Text only: what comes from a server is never read as HTML.
function fill(table, rows) {
  const body = document.createElement("tbody");
  for (const row of rows) {
    const line = body.insertRow();
    for (const cell of row) line.insertCell().textContent = cell;
  }
  element(table).tBodies[0].replaceWith(body);
}

function clientRow(now, before) {
  const requests = now.requests - before.requests;
  return [now.server, now.open, now.busy, now.pinned, now.in_flight, now.queue.to_share + now.queue.to_pin,
    round(requests / (now.writes - before.writes), 1), round(requests / (now.reads - before.reads), 1),
    now.switches ?? "–", now.lost, now.reconnects, now.cancelled, now.quarantined];
}

function replicaRow(replica) {
  const known = (value, factor, digits) => (value === null ? "" : round(value * factor, digits));
  return [replica.server, replica.role || "", replica.reads, round(replica.share * 100, 1), known(replica.lag, 1, 2), known(replica.p99, 1000, 3),
    replica.hedged, replica.won];
}

function hostRow(host) {
  const attempt = host.ago === null ? "none yet" : `${host.error || "connected"}, ${round(host.ago, 0)} s ago${host.avoided ? "; tried last" : ""}`;
  return [host.server, host.open, host.role || "–", host.timeline || "–", attempt];
}

function statementRows(now, before, seconds) {
  const known = new Map((before.statements || []).map((statement) => [statement.sql, statement]));
  return (now.statements || []).map((statement) => {
    const earlier = known.get(statement.sql) || { count: 0, mean: 0 };
    const load = Math.max(statement.count * statement.mean - earlier.count * earlier.mean, 0) / seconds;
    return { statement, load, calls: (statement.count - earlier.count) / seconds };
  });
}

function show(now, before) {
  const seconds = now.at - before.at;
  const time = new Date();
  const clients = now.clients.map((client) => [client, before.clients.find((other) => other.server === client.server) || client]);
  for (const [client, earlier] of clients) {
    note("requests", client.server, time, (client.requests - earlier.requests) / seconds);
    note("in_flight", client.server, time, client.in_flight);
    note("in_flight", `${client.server}, waiting`, time, client.queue.to_share + client.queue.to_pin);
    note("backlog", client.server, time, client.backlog * 1000);
  }
  Object.keys(curves).forEach(draw);
  fill("clients", clients.map(([client, earlier]) => clientRow(client, earlier)));
  fill("hosts", now.clients.flatMap((client) => client.hosts || []).map(hostRow));
  fill("replicas", now.clients.flatMap((client) => client.replicas || []).map(replicaRow));
  const rows = clients.flatMap(([client, earlier]) => statementRows(client, earlier, seconds));
  rows.sort((one, other) => other.load - one.load);
  fill("statements", rows.slice(0, SHOWN_STATEMENTS).map(({ statement, load, calls }) => [statement.sql, round(calls, 1),
    round(statement.mean * 1000, 3), round(statement.p99 * 1000, 3), round(statement.wait * 1000, 3), round(statement.long * 100, 0),
    round(load, 2)]));
}

async function look() {
  try {
    const response = await fetch("data.json", { cache: "no-store", credentials: "same-origin" });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const now = await response.json();
    element("process").textContent = `process ${now.pid}`;
    if (previous.has(now.pid)) show(now, previous.get(now.pid));
    previous.set(now.pid, now);
    element("trouble").hidden = true;
  } catch (error) {
    element("trouble").textContent = `No figures: ${error.message}`;
    element("trouble").hidden = false;
  }
  setTimeout(look, previous.size > 0 && Object.keys(charts).length === 0 ? PAUSE / 4 : PAUSE);
}

look();
