//! Dependencies point down, and below the I/O line nothing can reach the world.

use crate::workspace::{Member, Workspace};

/// Crates up to this floor do no I/O: no runtime, no storage, no network, no randomness, no clock.
const HIGHEST_PURE_FLOOR: u64 = 3;

/// What must not appear in the resolved graph of a crate below the line.
const WORLD: &[&str] = &["tokio", "object_store", "reqwest", "rand", "oxlake-env"];

/// Members that only tests use; any crate's tests may.
const TEST_HELPERS: &[&str] = &["oxlake-testkit"];

/// Members without a floor: nothing depends on them.
const FLOORLESS: &[&str] = &["xtask"];

#[expect(clippy::unnecessary_wraps, reason = "checks have one signature")]
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, String> {
    let mut faults = directions(&workspace.members);
    for member in &workspace.members {
        if member.floor.is_some_and(|f| f <= HIGHEST_PURE_FLOOR) {
            faults.extend(reaches(workspace, &member.name));
        }
    }
    Ok(faults)
}

/// Every arrow between members goes to a strictly lower floor; one of tests may stay on the same.
fn directions(members: &[Member]) -> Vec<String> {
    let mut faults = Vec::new();
    for member in members {
        let Some(floor) = member.floor else {
            if !FLOORLESS.contains(&member.name.as_str()) {
                let name = &member.name;
                faults.push(format!(
                    "{name}: add `floor = N` under [package.metadata.oxlake]"
                ));
            }
            continue;
        };
        for dependency in &member.depends_on {
            if dependency.dev && TEST_HELPERS.contains(&dependency.name.as_str()) {
                continue;
            }
            let below = members.iter().find(|m| m.name == dependency.name);
            let below = below.and_then(|m| m.floor);
            if below.is_none_or(|below| below > floor || (below == floor && !dependency.dev)) {
                faults.push(format!(
                    "{} (floor {floor}) depends on {} (floor {}): a dependency points to a lower floor",
                    member.name,
                    dependency.name,
                    below.map_or("none".into(), |f| f.to_string()),
                ));
            }
        }
    }
    faults
}

/// What of the world is in the graph of a crate below the line.
fn reaches(workspace: &Workspace, name: &str) -> Vec<String> {
    let reachable = workspace.reachable(name);
    let reached = WORLD.iter().filter(|world| reachable.contains(**world));
    reached
        .map(|world| format!("{name} is below the I/O line and reaches {world}: see cargo tree -p {name} -i {world}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::workspace::Dependency;

    fn member(name: &str, floor: u64, depends_on: &[(&str, bool)]) -> Member {
        Member {
            name: name.into(),
            folder: PathBuf::new(),
            floor: Some(floor),
            depends_on: depends_on
                .iter()
                .map(|(name, dev)| Dependency {
                    name: (*name).into(),
                    dev: *dev,
                })
                .collect(),
        }
    }

    #[test]
    fn an_arrow_up_or_sideways_is_a_fault() {
        let members = [
            member("low", 1, &[("high", false)]),
            member("beside", 1, &[("low", false)]),
            member("high", 2, &[("low", false)]),
        ];
        let faults = directions(&members);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("low (floor 1) depends on high (floor 2)"));
        assert!(faults[1].starts_with("beside (floor 1) depends on low (floor 1)"));
    }

    #[test]
    fn tests_may_use_the_testkit() {
        let members = [
            member("low", 1, &[("oxlake-testkit", true)]),
            member("oxlake-testkit", 14, &[]),
        ];
        assert_eq!(directions(&members), Vec::<String>::new());
    }
}
