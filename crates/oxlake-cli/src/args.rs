//! The command line: what it looks like and what its words mean.

use std::collections::BTreeMap;

use clap::{Args, Parser};

use crate::commands::Command;
use crate::output::Format;

/// Tables on a lake, in the format of Apache Hudi: create, load, query, look inside.
#[derive(Debug, Parser)]
#[command(
    name = "oxlake",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(
    after_help = "Start with `oxlake demo`. A TABLE is a folder or a URL: trips, /data/trips, \
                        s3://bucket/trips, gs://…, abfss://…."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// How rows are printed
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        help_heading = "Everywhere"
    )]
    pub(crate) format: Format,
    /// A setting of the storage (credentials, endpoint) or of the writer; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    #[arg(help_heading = "Everywhere")]
    pub(crate) conf: Vec<(String, String)>,
}

impl Global {
    /// The settings; a later one wins over an earlier one of the same key.
    pub(crate) fn conf(&self) -> BTreeMap<String, String> {
        self.conf.iter().cloned().collect()
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        fn check(command: &clap::Command, path: &str) {
            let is_group = command.get_subcommands().next().is_some();
            for inner in command.get_subcommands() {
                check(inner, &format!("{path} {}", inner.get_name()));
            }
            let after = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                is_group || after.contains(path),
                "{path} --help has no example"
            );
        }
        check(&Cli::command(), "oxlake");
    }

    #[test]
    fn settings_are_split_at_the_first_equals_sign() {
        assert_eq!(
            key_value("a.b=c=d"),
            Ok(("a.b".to_owned(), "c=d".to_owned()))
        );
        assert!(key_value("a.b").is_err());
        assert!(key_value("=c").is_err());
    }
}
