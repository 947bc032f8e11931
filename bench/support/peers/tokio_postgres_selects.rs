// Tasks of tokio-postgres, each on one of the connections, which send what the tasks ask for in pipelines. Statements are prepared once.
use serde_json::{json, Value};
use std::io::{stdin, stdout, BufRead, Write};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, NoTls, Statement};

const QUERY: &str = "SELECT balance FROM accounts WHERE id = $1";
const STRIDE: i64 = 48271; // as of Accounts

struct Connection {
    client: Client,
    statement: Statement,
}

impl Connection {
    async fn open(uri: &str) -> Connection {
        let mut config: Config = uri.parse().unwrap();
        config.application_name(&std::env::var("PGAPPNAME").unwrap());
        let (client, connection) = config.connect(NoTls).await.unwrap();
        tokio::spawn(async move { connection.await.unwrap() });
        let statement = client.prepare(QUERY).await.unwrap();
        Connection { client, statement }
    }

    async fn balance(&self, id: i32) -> i32 {
        self.client.query_one(&self.statement, &[&id]).await.unwrap().get(0)
    }
}

fn cpu() -> f64 {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

// One thread drives all in the midst of what it is asked; several are a pool.
fn runtime(threads: u64) -> Runtime {
    let mut builder = if threads == 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    if threads > 1 {
        builder.worker_threads(threads as usize);
    }
    builder.enable_all().build().unwrap()
}

async fn answers(connections: &[Arc<Connection>], ids: &[Value]) -> Value {
    let mut values = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let connection = &connections[index % connections.len()];
        values.push(connection.balance(id.as_i64().unwrap() as i32).await);
    }
    json!(values)
}

// So many callers ask for one balance after the other.
async fn measure(connections: &[Arc<Connection>], count: i64, callers: i64, rows: i64) -> Value {
    let share = count / callers;
    let (used, start) = (cpu(), Instant::now());
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let connection = connections[caller as usize % connections.len()].clone();
            tokio::spawn(async move {
                for number in caller * share..(caller + 1) * share {
                    connection.balance((number * STRIDE % rows + 1) as i32).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    json!({ "wall": start.elapsed().as_secs_f64(), "cpu": cpu() - used, "objects": null, "result": share * callers })
}

// Answers requests, a line of JSON each, until there are no more.
fn main() {
    let options: Value = serde_json::from_str(&std::env::args().nth(1).unwrap()).unwrap();
    let number = |name: &str| options[name].as_i64().unwrap();
    let (callers, rows) = (number("callers"), number("rows"));
    let runtime = runtime(number("threads") as u64);
    let connections = runtime.block_on(async {
        let mut connections = Vec::new();
        for _ in 0..number("connections") {
            connections.push(Arc::new(Connection::open(options["uri"].as_str().unwrap()).await));
        }
        connections
    });
    for line in stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let arguments = &asked["arguments"];
        let result = if asked["method"] == "answers" {
            runtime.block_on(answers(&connections, arguments["ids"].as_array().unwrap()))
        } else {
            runtime.block_on(measure(&connections, arguments["count"].as_i64().unwrap(), callers, rows))
        };
        println!("{}", json!({ "result": result }));
        stdout().flush().unwrap();
    }
}
