//! The real engine: Hudi on Spark behind `interop/hudi-jvm`, one JVM for a whole test binary.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{Error, Result, repository_root};

/// A running JVM engine. It ends with this value, or with the process that owns it.
///
/// Starting takes 5 to 30 seconds: tests share one through [`JvmOracle::shared`].
#[derive(Debug)]
pub struct JvmOracle {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// What it prints besides, for the message when it ends by itself.
    notices: NamedTempFile,
}

/// What to ask a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryKind {
    /// The table now.
    Snapshot,
    /// The table as of a requested time.
    TimeTravel(String),
    /// Rows written after `from` (exclusive) until `to` (inclusive), both completion times; `None` is open.
    Incremental {
        /// Start, exclusive.
        from: Option<String>,
        /// End, inclusive.
        to: Option<String>,
    },
}

/// Rows of the JVM engine.
#[derive(Debug, Clone, PartialEq)]
pub struct JvmRows {
    /// Spark types by column.
    pub schema: Value,
    /// The rows, in the encoding of [`rows`](crate::rows).
    pub rows: Vec<Value>,
}

/// A write by the JVM engine. Key, partition and ordering settings and the schema come from an existing table.
#[derive(Debug, Clone, Default)]
pub struct JvmWrite<'a> {
    /// `upsert`, `insert`, `bulk_insert`, `delete`.
    pub operation: &'a str,
    /// The rows, encoded.
    pub rows: Vec<Value>,
    /// Spark DDL of the rows; the table's schema when `None`.
    pub schema: Option<&'a str>,
    /// Write options.
    pub conf: Vec<(&'a str, &'a str)>,
}

/// The answer of `validate`.
#[derive(Debug, Clone)]
pub struct Validation {
    /// Every check passed or was skipped with a reason.
    pub passed: bool,
    /// All checks: `name`, `status`, `faults`, `facts`.
    pub checks: Vec<Value>,
}

impl Validation {
    /// Failed checks with their faults, a line each; empty when all passed.
    pub fn report(&self) -> String {
        let failed = self.checks.iter().filter(|c| c["status"] == "fail");
        let lines = failed.map(|c| format!("{}: {}", c["name"], c["faults"]));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Whether a check of that name ran and passed.
    pub fn has_passed(&self, name: &str) -> bool {
        self.checks
            .iter()
            .any(|c| c["name"] == name && c["status"] == "pass")
    }
}

impl JvmOracle {
    /// The engine of this test process, started at the first call.
    ///
    /// # Errors
    /// [`Error::JvmMissing`] when it is not installed or does not start.
    pub fn shared() -> Result<MutexGuard<'static, Self>> {
        static SHARED: OnceLock<Result<Mutex<JvmOracle>, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| {
            Self::start().map(Mutex::new).map_err(|e| match e {
                Error::JvmMissing { reason } => reason,
                other => other.to_string(),
            })
        });
        match shared {
            // A test that failed while it held the engine leaves it usable: requests are whole lines.
            Ok(engine) => Ok(engine.lock().unwrap_or_else(PoisonError::into_inner)),
            Err(reason) => Err(Error::JvmMissing {
                reason: reason.clone(),
            }),
        }
    }

    /// Starts an engine of its own.
    ///
    /// # Errors
    /// [`Error::JvmMissing`] when Java or the engine is not installed, or it does not start; the reason names what to
    /// install.
    pub fn start() -> Result<Self> {
        Self::start_as(Command::new(repository_root().join("interop/hudi-jvm")))
    }

    fn start_as(mut command: Command) -> Result<Self> {
        let missing = |reason: String| Error::JvmMissing { reason };
        let notices = NamedTempFile::new().map_err(Error::io("temporary file"))?;
        let stderr = notices.reopen().map_err(Error::io(notices.path()))?;
        let script = command.get_program().to_owned();
        let mut child = command
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .map_err(|e| missing(format!("{}: {e}", script.to_string_lossy())))?;
        let (requests, answers) = match (child.stdin.take(), child.stdout.take()) {
            (Some(requests), Some(answers)) => (requests, BufReader::new(answers)),
            _ => return Err(missing("no pipe to it".into())),
        };
        let mut engine = Self {
            child,
            requests: Some(requests),
            answers,
            notices,
        };
        let ready = engine.read_line()?;
        if ready.get("ready") != Some(&Value::Bool(true)) {
            let reason = &ready["error"]["message"];
            return Err(missing(
                reason.as_str().map_or(ready.to_string(), str::to_owned),
            ));
        }
        Ok(engine)
    }

    /// Any request; field names are the option names of `hudi-jvm` with `_`.
    ///
    /// # Errors
    /// [`Error::JvmRefused`] with the root cause when the engine answers with an exception.
    pub fn ask(&mut self, request: &Value) -> Result<Value> {
        let Some(pipe) = &mut self.requests else {
            return Err(Error::JvmMissing {
                reason: "it was shut down".into(),
            });
        };
        if writeln!(pipe, "{request}")
            .and_then(|()| pipe.flush())
            .is_err()
        {
            return Err(self.ended());
        }
        let mut answer = self.read_line()?;
        if answer["ok"] == true {
            return Ok(answer["result"].take());
        }
        let error = &answer["error"];
        let text = |key: &str| error[key].as_str().map(str::to_owned);
        Err(Error::JvmRefused {
            command: request["command"].as_str().unwrap_or_default().into(),
            class: text("class").unwrap_or_default(),
            message: text("root").or_else(|| text("message")).unwrap_or_default(),
        })
    }

    /// Rows of a table.
    pub fn query(&mut self, table: &Path, kind: &QueryKind, meta_columns: bool) -> Result<JvmRows> {
        let mut request = query_request(table, kind);
        request["meta_columns"] = json!(meta_columns);
        let mut answer = self.ask(&request)?;
        match answer["rows"].take() {
            Value::Array(rows) => Ok(JvmRows {
                schema: answer["schema"].take(),
                rows,
            }),
            _ => Err(no_field("rows", &answer)),
        }
    }

    /// Row count and hash of a table's columns without the meta columns; see
    /// [`TableHash`](crate::rows::TableHash).
    pub fn hash(&mut self, table: &Path, kind: &QueryKind) -> Result<(u64, String)> {
        let mut request = query_request(table, kind);
        request["hash"] = json!(true);
        let answer = self.ask(&request)?;
        match (answer["count"].as_u64(), answer["hash"].as_str()) {
            (Some(count), Some(hash)) => Ok((count, hash.into())),
            _ => Err(no_field("hash", &answer)),
        }
    }

    /// Writes rows.
    pub fn write(&mut self, table: &Path, write: &JvmWrite<'_>) -> Result<Value> {
        let conf: serde_json::Map<_, _> = write
            .conf
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json!(value)))
            .collect();
        let mut request = json!({
            "command": "write", "table": table, "op": write.operation, "data": write.rows, "conf": conf,
        });
        if let Some(schema) = write.schema {
            request["schema"] = json!(schema);
        }
        self.ask(&request)
    }

    /// Checks a table with everything the engine knows; with `write_after`, writes to a copy of it too.
    pub fn validate(&mut self, table: &Path, write_after: bool) -> Result<Validation> {
        let request = json!({"command": "validate", "table": table, "write_after": write_after});
        let mut answer = self.ask(&request)?;
        let passed = answer["passed"] == true;
        match answer["checks"].take() {
            Value::Array(checks) => Ok(Validation { passed, checks }),
            _ => Err(no_field("checks", &answer)),
        }
    }

    /// `timeline`, `slices` or `schema` of a table.
    pub fn describe(&mut self, command: &str, table: &Path) -> Result<Value> {
        self.ask(&json!({"command": command, "table": table}))
    }

    /// It is gone: how, and its last words.
    fn ended(&mut self) -> Error {
        self.requests = None;
        let status = self
            .child
            .wait()
            .map_or_else(|e| e.to_string(), |s| s.to_string());
        let notices = std::fs::read(self.notices.path()).unwrap_or_default();
        let notices = String::from_utf8_lossy(&notices);
        let last: Vec<&str> = notices.lines().rev().take(20).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        Error::JvmMissing {
            reason: format!("it ended ({status}): {}", last.join("\n")),
        }
    }

    fn read_line(&mut self) -> Result<Value> {
        let mut line = String::new();
        let read = self
            .answers
            .read_line(&mut line)
            .map_err(Error::io("pipe from the JVM engine"))?;
        if read == 0 {
            return Err(self.ended());
        }
        serde_json::from_str(&line).map_err(Error::json("answer of the JVM engine"))
    }
}

impl Drop for JvmOracle {
    /// The end of its input ends the server; waiting keeps its temporary folders from outliving us.
    fn drop(&mut self) {
        self.requests = None;
        let _ended = self.child.wait();
    }
}

fn query_request(table: &Path, kind: &QueryKind) -> Value {
    let mut request = json!({"command": "query", "table": table});
    match kind {
        QueryKind::Snapshot => request["kind"] = json!("snapshot"),
        QueryKind::TimeTravel(at) => {
            request["kind"] = json!("time_travel");
            request["as_of"] = json!(at);
        }
        QueryKind::Incremental { from, to } => {
            request["kind"] = json!("incremental");
            request["begin"] = json!(from);
            request["end"] = json!(to);
        }
    }
    request
}

fn no_field(field: &'static str, answer: &Value) -> Error {
    Error::JvmAnswer {
        field,
        answer: answer.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `PATH` with Python and nothing else.
    fn path_without_java() -> tempfile::TempDir {
        let python = Command::new("python3")
            .args(["-c", "import sys; print(sys.executable)"])
            .output()
            .unwrap();
        let python = String::from_utf8(python.stdout).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(python.trim(), folder.path().join("python3")).unwrap();
        folder
    }

    #[test]
    fn without_java_the_engine_is_missing_and_says_what_to_install() {
        let path = path_without_java();
        let nowhere = path.path().join("no-jdk");
        for java_home in [None, Some(&nowhere)] {
            let mut command = Command::new(repository_root().join("interop/hudi-jvm"));
            command.env("PATH", path.path()).env_remove("JAVA_HOME");
            if let Some(home) = java_home {
                command.env("JAVA_HOME", home);
            }
            let error = JvmOracle::start_as(command).unwrap_err();
            let Error::JvmMissing { reason } = &error else {
                panic!("{error:?}")
            };
            assert!(reason.contains("java not found"), "{reason}");
            assert!(reason.contains("openjdk-17-jdk-headless"), "{reason}");
        }
    }
}
