//! `cargo xtask test`: every step in turn, a table of their times, one line of totals.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::workspace::Workspace;
use crate::{prepare, process};

/// A part of the run.
struct Step {
    name: &'static str,
    run: fn(&Path, &mut Totals) -> Result<(), String>,
}

/// Cheap steps that find much come first; a failing step does not stop the later ones.
const STEPS: &[Step] = &[
    Step {
        name: "format",
        run: format,
    },
    Step {
        name: "house",
        run: house,
    },
    Step {
        name: "prepare",
        run: |root, _| prepare::everything(root),
    },
    Step {
        name: "build",
        run: build,
    },
    Step {
        name: "tests",
        run: tests,
    },
    Step {
        name: "doctests",
        run: doctests,
    },
    Step {
        name: "demo",
        run: demo,
    },
    Step {
        name: "clippy",
        run: clippy,
    },
    Step {
        name: "docs",
        run: docs,
    },
];

/// Sums over cargo's own `test result` lines.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    passed: u64,
    failed: u64,
}

/// Which steps to run.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    only: Vec<String>,
    skip: Vec<String>,
}

impl Selection {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut selection = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let list = match argument.as_str() {
                "--only" => &mut selection.only,
                "--skip" => &mut selection.skip,
                other => return Err(format!("unknown argument {other}; {}", crate::USAGE)),
            };
            let names = arguments.next().map_or("", String::as_str);
            for name in names.split(',') {
                if !STEPS.iter().any(|s| s.name == name) {
                    let known: Vec<_> = STEPS.iter().map(|s| s.name).collect();
                    return Err(format!(
                        "unknown step {name:?}; there are: {}",
                        known.join(", ")
                    ));
                }
                list.push(name.into());
            }
        }
        Ok(selection)
    }

    fn includes(&self, name: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|n| n == name);
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

/// Runs the steps; an error when any of them failed.
pub(crate) fn run(selection: &Selection) -> Result<(), String> {
    let root = Workspace::load()?.root;
    let mut totals = Totals::default();
    let mut report = Vec::new();
    for step in STEPS.iter().filter(|s| selection.includes(s.name)) {
        println!("\n== {}", step.name);
        let start = Instant::now();
        let failed_before = totals.failed;
        let fault = (step.run)(&root, &mut totals).err();
        if let Some(fault) = &fault {
            eprintln!("{}: {fault}", step.name);
            // A step whose tests failed is counted already.
            totals.failed += u64::from(totals.failed == failed_before);
        }
        report.push((step.name, start.elapsed(), fault));
    }
    println!("\n{}", table(&report));
    println!("{} passed, {} failed", totals.passed, totals.failed);
    match totals.failed {
        0 => Ok(()),
        _ => Err("not green".into()),
    }
}

fn table(report: &[(&str, Duration, Option<String>)]) -> String {
    let mut lines = vec![format!("{:<10} {:>8}  result", "step", "seconds")];
    for (name, time, fault) in report {
        let result = fault.as_deref().unwrap_or("ok");
        let result = result.lines().next().unwrap_or_default();
        let mark = if fault.is_some() { "FAILED: " } else { "" };
        lines.push(format!(
            "{name:<10} {:>8.1}  {mark}{result}",
            time.as_secs_f64()
        ));
    }
    let total: Duration = report.iter().map(|(_, time, _)| *time).sum();
    lines.push(format!("{:<10} {:>8.1}", "all", total.as_secs_f64()));
    lines.join("\n")
}

// --- steps ---------------------------------------------------------------------------------------------

fn format(root: &Path, _: &mut Totals) -> Result<(), String> {
    process::run(process::cargo(root).args(["fmt", "--all", "--check"]))
        .map_err(|e| format!("{e}; run: cargo fmt --all"))
}

fn house(root: &Path, totals: &mut Totals) -> Result<(), String> {
    test(root, totals, &["--package", "xtask"])
}

fn build(root: &Path, _: &mut Totals) -> Result<(), String> {
    process::run(process::cargo(root).args(["test", "--locked", "--workspace", "--no-run"]))
}

fn tests(root: &Path, totals: &mut Totals) -> Result<(), String> {
    let others = [
        "--workspace",
        "--exclude",
        "xtask",
        "--lib",
        "--bins",
        "--tests",
    ];
    test(root, totals, &others)
}

fn doctests(root: &Path, totals: &mut Totals) -> Result<(), String> {
    test(
        root,
        totals,
        &["--workspace", "--exclude", "xtask", "--doc"],
    )
}

/// The first thing a new user types, on its own data, offline.
fn demo(root: &Path, _: &mut Totals) -> Result<(), String> {
    process::run(process::cargo(root).args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "oxlake-cli",
        "--",
        "demo",
    ]))
}

fn clippy(root: &Path, _: &mut Totals) -> Result<(), String> {
    let arguments = [
        "clippy",
        "--locked",
        "--keep-going",
        "--workspace",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ];
    process::run(process::cargo(root).args(arguments))
}

fn docs(root: &Path, _: &mut Totals) -> Result<(), String> {
    let mut command: Command = process::cargo(root);
    command.args([
        "doc",
        "--locked",
        "--keep-going",
        "--workspace",
        "--no-deps",
    ]);
    process::run(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn test(root: &Path, totals: &mut Totals, arguments: &[&str]) -> Result<(), String> {
    let mut command = process::cargo(root);
    command
        .args(["test", "--locked", "--no-fail-fast"])
        .args(arguments);
    let fine = process::each_line(&mut command, |line| totals.read(line))?;
    if fine {
        Ok(())
    } else {
        Err("tests failed".into())
    }
}

impl Totals {
    /// Adds a line such as `test result: ok. 15 passed; 0 failed; 0 ignored; …`.
    fn read(&mut self, line: &str) {
        let Some(counts) = line.trim_start().strip_prefix("test result: ") else {
            return;
        };
        let words: Vec<&str> = counts.split([' ', ';']).filter(|w| !w.is_empty()).collect();
        for pair in words.windows(2) {
            if let [number, name] = pair
                && let Ok(number) = number.parse::<u64>()
            {
                match *name {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_binaries_are_summed() {
        let mut totals = Totals::default();
        for line in [
            "running 3 tests",
            "test result: ok. 15 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
        ] {
            totals.read(line);
        }
        assert_eq!(
            totals,
            Totals {
                passed: 16,
                failed: 2
            }
        );
    }

    #[test]
    fn a_selection_names_known_steps_only() {
        let parse = |words: &[&str]| {
            Selection::parse(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
        };
        let selection = parse(&["--only", "house,docs", "--skip", "docs"]).unwrap();
        assert!(selection.includes("house"));
        assert!(!selection.includes("docs") && !selection.includes("tests"));
        assert!(
            parse(&["--only", "nothing"])
                .unwrap_err()
                .contains("unknown step")
        );
    }

    #[test]
    fn the_table_names_the_fault() {
        let report = [
            ("format", Duration::from_millis(1500), None),
            (
                "prepare",
                Duration::from_secs(2),
                Some("no Java\nmore".to_owned()),
            ),
        ];
        let text = table(&report);
        assert!(text.contains("format          1.5  ok"), "{text}");
        assert!(text.contains("FAILED: no Java\n"), "{text}");
    }
}
