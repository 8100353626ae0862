//! Relative paths inside a table: taken as they are, refused when they could leave the table.

use object_store::path::Path;

use crate::{Error, Result};

/// Joins a relative path to the folder of the table.
///
/// Refused: empty segments, `.` and `..` (also behind a backslash, which some systems take for a
/// separator), control characters.
pub(crate) fn join(root: &Path, relative: &str) -> Result<Path> {
    check(relative)?;
    let raw = match (root.as_ref(), relative) {
        (root, "") => root.to_owned(),
        ("", relative) => relative.to_owned(),
        (root, relative) => format!("{root}/{relative}"),
    };
    Path::parse(&raw).map_err(|error| refuse(relative, &error.to_string()))
}

/// Azure stores `a\b` as `a/b`: such a file would be found under another name than it was written.
pub(crate) fn refuse_backslashes(relative: &str) -> Result<()> {
    if relative.contains('\\') {
        let reason = "this store takes a backslash for a slash, so the file would get another name";
        return Err(refuse(relative, reason));
    }
    Ok(())
}

/// The path of `location` relative to the folder of the table; `None` for the folder itself and for
/// what lies outside.
pub(crate) fn relative<'a>(root: &Path, location: &'a Path) -> Option<&'a str> {
    let rest = location.as_ref().strip_prefix(root.as_ref())?;
    let rest = if root.is_root() {
        rest
    } else {
        rest.strip_prefix('/')?
    };
    (!rest.is_empty()).then_some(rest)
}

fn check(relative: &str) -> Result<()> {
    if relative.is_empty() {
        return Ok(());
    }
    for segment in relative.split('/') {
        if segment.is_empty() {
            return Err(refuse(relative, "it has an empty segment"));
        }
        if segment.split('\\').any(|part| part == "..") || segment == "." {
            return Err(refuse(relative, "'.' and '..' are not allowed"));
        }
        if let Some(control) = segment.chars().find(char::is_ascii_control) {
            let reason = format!("it contains the control character U+{:04X}", control as u32);
            return Err(refuse(relative, &reason));
        }
    }
    Ok(())
}

fn refuse(path: &str, reason: &str) -> Error {
    Error::InvalidPath {
        path: path.escape_debug().to_string(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_they_are() {
        let root = Path::parse("tables/a%20b").unwrap();
        for odd in ["", "x", "50%25=#?/é☃ b", "a\\b", "..a/b..", "city=x%2F../z"] {
            let joined = join(&root, odd).unwrap();
            assert_eq!(
                joined.as_ref(),
                format!("tables/a%20b/{odd}").trim_end_matches('/')
            );
            assert_eq!(relative(&root, &joined).unwrap_or_default(), odd);
            assert_eq!(join(&Path::ROOT, odd).unwrap().as_ref(), odd);
        }
        assert_eq!(
            relative(&root, &Path::parse("tables/a%20bc/d").unwrap()),
            None
        );
    }

    #[test]
    fn paths_that_could_leave_the_table_are_refused() {
        let bad = [
            "..", "../x", "a/../b", "a/./b", "/a", "a/", "a//b", "a\\..\\b", "..\\a", "a\nb", "\0",
        ];
        for path in bad {
            let error = join(&Path::parse("t").unwrap(), path).unwrap_err();
            assert!(
                matches!(error, Error::InvalidPath { .. }),
                "{path:?}: {error}"
            );
        }
    }
}
