//! Which of `hoodie.properties` and its backup counts (spec 01 §2.3, read rule).

use crate::{Error, Properties, Result};

/// The properties that count, and where they came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The properties.
    pub properties: Properties,
    /// Whether they came from the backup: an update was interrupted, and a writer should finish it.
    pub from_backup: bool,
}

/// Chooses between the contents of `hoodie.properties` and of `hoodie.properties.backup`; `None` is a file
/// that does not exist.
///
/// The main file counts when it can be read and its checksum is right. A main file without a checksum
/// (old releases wrote none, but an interrupted write leaves none either) counts when there is no backup
/// with one.
///
/// # Errors
/// [`Error::NoProperties`] when both are missing, [`Error::DamagedProperties`] when neither is good. A
/// writer that replaces the file may be at work: a reader tries again a few times.
pub fn choose_properties(main: Option<&[u8]>, backup: Option<&[u8]>) -> Result<Chosen> {
    let (main, backup) = (Candidate::judge(main), Candidate::judge(backup));
    match (main, backup) {
        (Candidate::Checked(properties), _) => Ok(Chosen {
            properties,
            from_backup: false,
        }),
        (_, Candidate::Checked(properties)) => Ok(Chosen {
            properties,
            from_backup: true,
        }),
        (Candidate::Unchecked(properties), _) => Ok(Chosen {
            properties,
            from_backup: false,
        }),
        (_, Candidate::Unchecked(properties)) => Ok(Chosen {
            properties,
            from_backup: true,
        }),
        (Candidate::Missing, Candidate::Missing) => Err(Error::NoProperties),
        (main, backup) => Err(Error::DamagedProperties {
            main: main.describe(),
            backup: backup.describe(),
        }),
    }
}

enum Candidate {
    Missing,
    Damaged(Error),
    Unchecked(Properties),
    Checked(Properties),
}

impl Candidate {
    fn judge(bytes: Option<&[u8]>) -> Self {
        let Some(bytes) = bytes else {
            return Self::Missing;
        };
        let properties = match Properties::parse(bytes) {
            Ok(properties) => properties,
            Err(error) => return Self::Damaged(error),
        };
        match properties.verify_checksum() {
            Ok(true) => Self::Checked(properties),
            Ok(false) => Self::Unchecked(properties),
            Err(error) => Self::Damaged(error),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Missing => "missing".to_owned(),
            Self::Damaged(error) => error.to_string(),
            Self::Unchecked(_) | Self::Checked(_) => "good".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_file_counts_unless_it_is_damaged() {
        let with = |state: &str, checksum: Option<u32>| {
            let mut text = format!("hoodie.table.name=t1\nstate={state}\n");
            if let Some(checksum) = checksum {
                text = format!("{text}hoodie.table.checksum={checksum}\n");
            }
            text.into_bytes()
        };
        let (good, bad) = (Some(3_609_136_688), Some(1));
        let choose = |main: Option<&[u8]>, backup: Option<&[u8]>| {
            choose_properties(main, backup).map(|chosen| {
                (
                    chosen.properties.get("state").unwrap().to_owned(),
                    chosen.from_backup,
                )
            })
        };
        let (main, backup) = (with("m", good), with("b", good));
        let (bad_main, bad_backup) = (with("m", bad), with("b", bad));
        let (plain_main, plain_backup) = (with("m", None), with("b", None));
        let m = ("m".to_owned(), false);
        let b = ("b".to_owned(), true);
        assert_eq!(choose(Some(&main), Some(&backup)).unwrap(), m);
        assert_eq!(choose(Some(&main), None).unwrap(), m);
        assert_eq!(choose(None, Some(&backup)).unwrap(), b);
        assert_eq!(choose(Some(&bad_main), Some(&backup)).unwrap(), b);
        assert_eq!(choose(Some(&plain_main), Some(&bad_backup)).unwrap(), m);
        assert_eq!(choose(Some(&plain_main), Some(&plain_backup)).unwrap(), m);
        assert_eq!(choose(Some(b"hoodie.tab"), Some(&backup)).unwrap(), b);
        assert!(matches!(choose(None, None), Err(Error::NoProperties)));
        let error = choose(Some(&bad_main), None).unwrap_err();
        assert!(error.to_string().contains("3609136688"), "{error}");
        assert!(matches!(
            choose(Some(&bad_main), Some(b"\\u")),
            Err(Error::DamagedProperties { .. })
        ));
    }
}
