//! Runs the program and shows all of what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use expect_test::Expect;
use tempfile::TempDir;

/// A folder to run commands in.
pub(crate) struct Cli {
    home: TempDir,
    columns: &'static str,
}

/// What a command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Cli {
    pub(crate) fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            columns: "100",
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: &str) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    pub(crate) fn run(&self, words: &[&str]) -> Said {
        self.run_with_input(words, b"")
    }

    pub(crate) fn run_with_input(&self, words: &[&str], input: &[u8]) -> Said {
        run(self.home.path(), self.columns, words, input)
    }

    /// Compares everything a successful command says with what is expected.
    pub(crate) fn check(&self, words: &[&str], expected: &Expect) {
        let said = self.run(words);
        assert_eq!(said.code, 0, "{}", said.text());
        expected.assert_eq(&said.text());
    }

    /// Compares everything a command says that ends with `code`.
    pub(crate) fn check_failure(&self, words: &[&str], code: i32, expected: &Expect) {
        let said = self.run(words);
        assert_eq!(said.code, code, "{}", said.text());
        expected.assert_eq(&said.text());
    }

    /// Runs a command that has to succeed.
    pub(crate) fn prepare(&self, words: &[&str]) -> &Self {
        let said = self.run(words);
        assert_eq!(said.code, 0, "{words:?}: {}", said.text());
        self
    }
}

impl Said {
    /// Standard output, then standard error if there is any; times, ids and sizes that change made
    /// equal.
    pub(crate) fn text(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text += "── standard error ──\n";
            text += &self.stderr;
        }
        stable(&text)
    }
}

/// Runs commands in a folder that holds the demo's table as `flights`; the table is made once and
/// must not be written.
pub(crate) fn flights(words: &[&str]) -> Said {
    static HOME: OnceLock<TempDir> = OnceLock::new();
    let home = HOME.get_or_init(|| {
        let home = tempfile::tempdir().unwrap();
        let said = run(
            home.path(),
            "100",
            &["demo", "--dir", "flights", "--format", "csv"],
            b"",
        );
        assert_eq!(said.code, 0, "{}", said.text());
        home
    });
    run(home.path(), "100", words, b"")
}

pub(crate) fn check_flights(words: &[&str], expected: &Expect) {
    let said = flights(words);
    assert_eq!(said.code, 0, "{}", said.text());
    expected.assert_eq(&said.text());
}

fn run(folder: &Path, columns: &str, words: &[&str], input: &[u8]) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oxlake"))
        .args(words)
        .current_dir(folder)
        .env("COLUMNS", columns)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    // Where the folder is differs from run to run.
    let text = |bytes| {
        String::from_utf8(bytes)
            .unwrap()
            .replace(folder.to_str().unwrap(), "/HOME")
    };
    Said {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Replaces the sizes of files, which depend on the file's random name and on the compressor.
pub(crate) fn without_sizes(text: &str) -> String {
    let is_size = |word: &str| {
        (4..=6).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words = text.split_inclusive([' ', ',', '\n']).map(|part| {
        let word = part.trim_end_matches([' ', ',', '\n']);
        if is_size(word) {
            format!("#####{}", &part[word.len()..])
        } else {
            part.to_owned()
        }
    });
    words.collect()
}

/// Replaces what differs from run to run by something of the same width.
fn stable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '-' {
            word.push(c);
            continue;
        }
        out.push_str(&stable_word(&word));
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}

fn stable_word(word: &str) -> String {
    let is_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    if word.len() == 17 && word.starts_with("202") && is_digits {
        return "<-- an instant ->".to_owned();
    }
    // A random id, or the beginning of one.
    let is_id = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if word.len() >= 14 && word.bytes().take(36).enumerate().all(is_id) {
        let x = |(at, c): (usize, char)| if at < 36 && c != '-' { 'x' } else { c };
        return word.chars().enumerate().map(x).collect();
    }
    word.to_owned()
}
