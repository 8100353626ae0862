//! Starts an S3 server for the tests and stops it when they are done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A running S3 server of its own data folder; dropped, it stops.
pub(crate) struct S3Service {
    script: PathBuf,
    folder: TempDir,
    /// What the script says about the server: endpoint, keys, bucket.
    pub(crate) env: BTreeMap<String, String>,
}

impl S3Service {
    /// Starts `services/<name>` on a free port; the first start installs it and may take minutes.
    pub(crate) fn start(name: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../services")
            .join(name);
        let folder = tempfile::tempdir().unwrap();
        let output = run(&script, "start", folder.path());
        assert!(
            output.status.success(),
            "services/{name} did not start; it needs bash, curl, python3 with venv and pip, and their \
             package index:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let lines = String::from_utf8(output.stdout).unwrap();
        let env = lines
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self {
            script,
            folder,
            env,
        }
    }

    /// Options that lead to the server, without the process's environment.
    pub(crate) fn conf(&self) -> BTreeMap<String, String> {
        let value = |name: &str| {
            self.env
                .get(name)
                .unwrap_or_else(|| panic!("no {name}"))
                .clone()
        };
        BTreeMap::from([
            ("aws_endpoint".to_owned(), value("AWS_ENDPOINT_URL")),
            ("aws_access_key_id".to_owned(), value("AWS_ACCESS_KEY_ID")),
            (
                "fs.s3a.secret.key".to_owned(),
                value("AWS_SECRET_ACCESS_KEY"),
            ),
        ])
    }

    /// Address of a folder in the server's bucket.
    pub(crate) fn url(&self, path: &str) -> String {
        format!(
            "s3://{}/{path}",
            self.env.get("S3_BUCKET").map_or("bkt", String::as_str)
        )
    }
}

impl Drop for S3Service {
    fn drop(&mut self) {
        // The script ends only the process whose number and start time it wrote down.
        run(&self.script, "stop", self.folder.path());
    }
}

fn run(script: &Path, command: &str, folder: &Path) -> Output {
    let mut process = Command::new("bash");
    process.arg(script).arg(command).arg("--dir").arg(folder);
    if command == "start" {
        process.args(["--port", "0"]);
    }
    process.output().unwrap_or_else(|error| {
        panic!(
            "cannot run bash {}, which the S3 tests need: {error}",
            script.display()
        )
    })
}
