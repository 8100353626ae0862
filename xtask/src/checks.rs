//! The checks of the house: rules about manifests, modules and texts that no compiler knows.
//!
//! A check is a file in `checks/` and a line in [`ALL`]. Each gives its faults as lines that name the place and the remedy.

mod documents;
mod floors;
mod licences;
mod modules;
mod tidy;

use crate::workspace::Workspace;

/// A rule.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Workspace) -> Result<Vec<String>, String>,
}

/// Every check, the cheapest to mend first.
pub(crate) const ALL: &[Check] = &[
    Check {
        name: "floors",
        run: floors::check,
    },
    Check {
        name: "modules",
        run: modules::check,
    },
    Check {
        name: "tidy",
        run: tidy::check,
    },
    Check {
        name: "documents",
        run: documents::check,
    },
    Check {
        name: "licences",
        run: licences::check,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(name: &str) {
        let workspace = Workspace::load().unwrap();
        let check = ALL.iter().find(|c| c.name == name).unwrap();
        let faults = (check.run)(&workspace).unwrap();
        assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    }

    #[test]
    fn dependencies_point_down_and_nothing_below_the_line_reaches_the_world() {
        holds("floors");
    }

    #[test]
    fn no_module_is_forgotten() {
        holds("modules");
    }

    #[test]
    fn the_tree_is_tidy() {
        holds("tidy");
    }

    #[test]
    fn documents_name_what_exists() {
        holds("documents");
    }

    #[test]
    fn licences_are_allowed() {
        holds("licences");
    }
}
