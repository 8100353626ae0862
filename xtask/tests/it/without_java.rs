//! A machine without Java: the run must say so, and must not be green.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with links to these programs of this machine, as the whole `PATH` of a run.
fn path_of(name: &str, programs: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in programs {
        let found = std::env::split_paths(&path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
            .unwrap_or_else(|| panic!("{program} is not on the path"));
        std::os::unix::fs::symlink(found, folder.join(program)).unwrap();
    }
    folder
}

/// Prepares the tests with that `PATH`. Nothing can be installed: there is no `apt-get` on it.
fn prepare(path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["test", "--only", "prepare"])
        .env("PATH", path)
        .env_remove("JAVA_HOME")
        .output()
        .unwrap()
}

#[test]
fn a_run_without_java_names_the_package_and_is_not_green() {
    let output = prepare(&path_of("path-without-java", &["cargo", "rustc"]));
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(!output.status.success(), "{out}{err}");
    assert!(err.contains("not green"), "{err}");
    assert!(out.contains("0 passed, 1 failed"), "{out}");
    let line = out
        .lines()
        .find(|line| line.starts_with("prepare "))
        .unwrap();
    assert!(line.contains("FAILED"), "{line}");
    assert!(line.contains("openjdk-17-jdk-headless"), "{line}");
}
