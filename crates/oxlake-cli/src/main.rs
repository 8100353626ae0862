//! The command line of Oxlake.
//!
//! Rows go to standard output, messages and progress to standard error. Exit codes: 0 done, 1
//! failed, 2 the command line means nothing.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod args;
mod commands;
mod context;
mod error;
mod feed;
mod input;
mod output;
mod progress;
mod schema_file;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use console::style;
use tracing_subscriber::EnvFilter;

use crate::args::Cli;
use crate::context::Context;
use crate::error::{Error, Result};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            // Help and version are asked for and go to standard output; everything else is a usage
            // error.
            let code = if told.use_stderr() {
                ExitCode::from(2)
            } else {
                ExitCode::SUCCESS
            };
            return if told.print().is_ok() {
                code
            } else {
                ExitCode::from(1)
            };
        }
    };
    log_to_stderr();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => tell(&error),
    }
}

fn run(cli: Cli) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let context = Context::new(&cli.global);
    runtime.block_on(cli.command.run(&context))
}

fn tell(error: &Error) -> ExitCode {
    let label = style("error:").for_stderr().red().bold();
    let mut stderr = std::io::stderr().lock();
    // Without standard error there is nobody to tell.
    let _ = writeln!(stderr, "{label} {}", error.report());
    error.exit_code()
}

/// `OXLAKE_LOG=debug` shows what the engine does.
fn log_to_stderr() {
    let filter = EnvFilter::try_from_env("OXLAKE_LOG").unwrap_or_else(|_| EnvFilter::new("off"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
