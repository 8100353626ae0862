//! Automation of the workspace: `cargo xtask test` runs everything a change must pass.
//!
//! ```text
//! cargo xtask test [--only STEP,…] [--skip STEP,…]     the whole run; prints a table of steps and times
//! cargo xtask check [NAME…]                            the checks of the house alone (floors, modules, tidy, …)
//! cargo xtask prepare                                  install what the tests need, run no test
//! ```
//!
//! Nothing here depends on more than `serde_json`, so that it builds in seconds on a clean clone.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for the terminal, which reads its environment and takes times"
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod checks;
mod prepare;
mod process;
mod test_run;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const USAGE: &str =
    "usage: cargo xtask test [--only STEP,…] [--skip STEP,…] | check [NAME…] | prepare";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", arguments.as_slice()),
    };
    let done = match command {
        "test" => test_run::Selection::parse(rest).and_then(|s| test_run::run(&s)),
        "check" => check(rest),
        "prepare" => Workspace::load().and_then(|w| prepare::everything(&w.root)),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check(names: &[String]) -> Result<(), String> {
    let workspace = Workspace::load()?;
    let mut faults = Vec::new();
    for check in checks::ALL {
        if names.is_empty() || names.iter().any(|n| n == check.name) {
            let found = (check.run)(&workspace)?;
            println!(
                "{:<10} {}",
                check.name,
                if found.is_empty() { "ok" } else { "FAILED" }
            );
            faults.extend(found);
        }
    }
    for fault in &faults {
        println!("  {fault}");
    }
    match faults.len() {
        0 => Ok(()),
        n => Err(format!("{n} faults")),
    }
}
