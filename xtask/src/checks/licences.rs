//! Every package of the graph has a licence that goes with Apache-2.0. The same list stands in `deny.toml`.

use crate::workspace::Workspace;

/// Licences we take.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "MIT",
    "MIT-0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
    "Unicode-3.0",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "bzip2-1.0.6",
    "OpenSSL",
];

pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, String> {
    let refused = workspace
        .packages
        .iter()
        .filter(|(_, _, licence)| !licence.as_deref().is_some_and(is_allowed));
    let mut faults: Vec<String> = refused
        .map(|(name, version, licence)| {
            let licence = licence.as_deref().unwrap_or("none given");
            format!("{name} {version}: licence {licence} is not in the list")
        })
        .collect();
    let deny = workspace.read("deny.toml")?;
    for licence in ALLOWED {
        if !deny.contains(&format!("\"{licence}\"")) {
            faults.push(format!("deny.toml: allow \"{licence}\" as xtask does"));
        }
    }
    Ok(faults)
}

/// Whether an SPDX expression can be met: OR of ANDs, parentheses allowed; `/` is the old way to write OR.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    any(&mut rest) == Some(true) && rest.is_empty()
}

// Each takes what it understands off the front; `None` is not an expression.

fn any(tokens: &mut &[&str]) -> Option<bool> {
    let mut met = all(tokens)?;
    while let ["OR", rest @ ..] = tokens {
        *tokens = rest;
        met |= all(tokens)?;
    }
    Some(met)
}

fn all(tokens: &mut &[&str]) -> Option<bool> {
    let mut met = one(tokens)?;
    while let ["AND", rest @ ..] = tokens {
        *tokens = rest;
        met &= one(tokens)?;
    }
    Some(met)
}

fn one(tokens: &mut &[&str]) -> Option<bool> {
    match tokens {
        ["(", rest @ ..] => {
            *tokens = rest;
            let met = any(tokens)?;
            let [")", rest @ ..] = tokens else {
                return None;
            };
            *tokens = rest;
            Some(met)
        }
        [licence, "WITH", exception, rest @ ..] => {
            let name = format!("{licence} WITH {exception}");
            *tokens = rest;
            Some(ALLOWED.contains(&name.as_str()))
        }
        [licence, rest @ ..] => {
            *tokens = rest;
            Some(ALLOWED.contains(licence))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        for allowed in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "Apache-2.0 AND ISC AND (MIT OR Apache-2.0)",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT OR",
            "",
            "Apache-2.0 WITH GPL-exception",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }
}
