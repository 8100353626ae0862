//! Escaping of special characters in partition values (spec 02 §4.5).

use std::borrow::Cow;

/// The partition of rows whose partition value is null or empty.
pub const DEFAULT_PARTITION: &str = "__HIVE_DEFAULT_PARTITION__";

const HEX: [char; 16] = [
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
];

/// Writes special characters as `%` and two hexadecimal digits. Characters outside of ASCII stay.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_special) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_special(c) {
            let code = c as usize;
            escaped.push('%');
            escaped.extend(
                [code >> 4, code & 15]
                    .iter()
                    .filter_map(|digit| HEX.get(*digit)),
            );
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Reads what [`escape`] wrote; a `%` without two hexadecimal digits stays.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        if let Some((c, tail)) = code(after) {
            plain.push(c);
            rest = tail;
        } else {
            plain.push('%');
            rest = after;
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character whose two digits the text begins with, and what follows.
fn code(text: &str) -> Option<(char, &str)> {
    let digits = text
        .get(..2)
        .filter(|d| d.chars().all(|c| c.is_ascii_hexdigit()))?;
    let byte = u8::from_str_radix(digits, 16).ok()?;
    Some((char::from(byte), text.get(2..)?))
}

fn is_special(c: char) -> bool {
    c.is_ascii_control() || "\"#%'*/:=?\\{[]^".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_characters_hive_escapes_and_no_others() {
        assert_eq!(escape("50%=#?:é☃"), "50%25%3D%23%3F%3Aé☃");
        assert_eq!(
            escape("q\"u'o*t{e}[]^\\|<>&+,;@~"),
            "q%22u%27o%2At%7Be}%5B%5D%5E%5C|<>&+,;@~"
        );
        assert_eq!(escape("a b"), "a b");
        assert_eq!(escape("\u{0}\u{1f}\u{7f}/\u{80}"), "%00%1F%7F%2F\u{80}");
        assert!(matches!(escape("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn malformed_escapes_stay_as_they_are() {
        for text in ["%", "%2", "%zz", "100%", "%%41", "%é", "a%2"] {
            let expected = text.replace("%41", "A");
            assert_eq!(unescape(text), expected);
        }
        assert_eq!(unescape("%2f%2F%c3"), "//\u{c3}");
    }

    proptest! {
        #[test]
        fn unescape_undoes_escape(text in ".*") {
            let escaped = escape(&text);
            prop_assert_eq!(unescape(&escaped), text.as_str());
        }
    }
}
