//! Running other programs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The cargo that runs us, in the environment it had before it ran us: some build scripts look at the variables that
/// `cargo run` sets for a package, and would build anew what a plain `cargo test` has built.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let mut command = Command::new(program);
    command.current_dir(root);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs it with our own input and output; a status other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|e| format!("{}: {e}", show(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} ended with {status}", show(command)))
    }
}

/// Runs it and gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let done = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{}: {e}", show(command)))?;
    if !done.status.success() {
        return Err(format!("{} ended with {}", show(command), done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Runs it, passing each line of its standard output on and to `line`; gives whether its status was 0.
pub(crate) fn each_line(command: &mut Command, mut line: impl FnMut(&str)) -> Result<bool, String> {
    let wrong = |e: std::io::Error, command: &Command| format!("{}: {e}", show(command));
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| wrong(e, command))?;
    if let Some(stdout) = child.stdout.take() {
        for text in BufReader::new(stdout).split(b'\n') {
            let text = text.map_err(|e| wrong(e, command))?;
            let text = String::from_utf8_lossy(&text);
            println!("{text}");
            line(&text);
        }
    }
    let status = child.wait().map_err(|e| wrong(e, command))?;
    Ok(status.success())
}

/// Whether a program of that name is on the path.
pub(crate) fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The command as one would type it.
fn show(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(|a| a.to_string_lossy()));
    words.join(" ")
}
