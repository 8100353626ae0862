//! Installs what the tests need, by package name, where it is missing: a JDK, Maven, Python with venv, Node.js with npm,
//! the JVM engine, the services.

use std::path::Path;
use std::process::Command;

use crate::process;

/// A program the tests need, and the Debian package that brings it.
struct Tool {
    programs: &'static [&'static str],
    package: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        programs: &["java", "javac"],
        package: "openjdk-17-jdk-headless",
    },
    Tool {
        programs: &["mvn"],
        package: "maven",
    },
    Tool {
        programs: &["python3"],
        package: "python3",
    },
    Tool {
        programs: &["curl"],
        package: "curl",
    },
    Tool {
        programs: &["node"],
        package: "nodejs",
    },
    Tool {
        programs: &["npm"],
        package: "npm",
    },
];

/// Scripts in `services/` that the tests start.
const SERVICES: &[&str] = &["s3", "azurite"];

/// Everything; says on its way what it does. An error names what is missing and what to do.
pub(crate) fn everything(root: &Path) -> Result<(), String> {
    let mut missing: Vec<&str> = TOOLS
        .iter()
        .filter(|t| !t.is_there())
        .map(|t| t.package)
        .collect();
    if process::is_there("python3") && !has_venv() {
        missing.push("python3-venv");
    }
    if !missing.is_empty() {
        install(&missing)?;
    }
    process::run(&mut Command::new(root.join("interop/setup"))).map_err(|e| {
        format!("{e}: the JVM engine is not installed, so no table was checked against real Hudi")
    })?;
    for service in SERVICES {
        process::run(Command::new(root.join("services").join(service)).arg("install"))
            .map_err(|e| format!("{e}: the service '{service}' is not installed"))?;
    }
    Ok(())
}

impl Tool {
    fn is_there(&self) -> bool {
        // Some images set JAVA_HOME without putting it on the path; the interop scripts use it too.
        let java_home = std::env::var_os("JAVA_HOME").unwrap_or_default();
        self.programs.iter().all(|program| {
            process::is_there(program)
                || (!java_home.is_empty()
                    && Path::new(&java_home).join("bin").join(program).is_file())
        })
    }
}

fn has_venv() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]);
    python.output().is_ok_and(|done| done.status.success())
}

fn install(packages: &[&str]) -> Result<(), String> {
    let by_hand = format!("install them by hand: {}", packages.join(" "));
    if !process::is_there("apt-get") {
        return Err(format!("there is no apt-get here; {by_hand}"));
    }
    eprintln!("installing {}", packages.join(" "));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new(if process::is_there("sudo") {
            "sudo"
        } else {
            "env"
        });
        command.arg("DEBIAN_FRONTEND=noninteractive");
        command.args(["apt-get", "-qq", "-y"]);
        command.args(arguments);
        process::run(&mut command)
    };
    let arguments = [&["install", "--no-install-recommends"], packages].concat();
    // The lists of an image may be old or absent: fetch them only when the first try fails.
    apt(&arguments)
        .or_else(|_| apt(&["update"]).and_then(|()| apt(&arguments)))
        .map_err(|e| format!("{e}; {by_hand}"))
}
