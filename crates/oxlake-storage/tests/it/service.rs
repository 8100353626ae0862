//! Starts a server of `services/` for the tests and stops it when they are done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A running server of its own data folder; dropped, it stops.
pub(crate) struct Service {
    script: PathBuf,
    folder: TempDir,
    /// What the script says about the server: endpoint, keys, bucket.
    env: BTreeMap<String, String>,
}

impl Service {
    /// Starts `services/<name>` on a free port; the first start installs it and may take minutes.
    pub(crate) fn start(name: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../services")
            .join(name);
        let folder = tempfile::tempdir().unwrap();
        let output = run(&script, "start", folder.path());
        assert!(
            output.status.success(),
            "services/{name} did not start; what it needs is installed by: cargo xtask prepare\n{}",
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

    /// What the script says under this name.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.env.get(name).unwrap_or_else(|| panic!("no {name}"))
    }
}

impl Drop for Service {
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
            "cannot run bash {}, which tests of stores need: {error}",
            script.display()
        )
    })
}
