//! Schemas from and to Arrow, by the types and names of spec 02 §2.5.

mod from_arrow;
mod to_arrow;

pub use from_arrow::from_arrow;
pub use to_arrow::to_arrow;

/// The record name and namespace of a table's schema.
pub fn record_name(table: &str) -> (String, String) {
    let table = sanitize(table);
    (format!("{table}_record"), format!("hoodie.{table}"))
}

/// A text as an Avro name: each character that may not stand in one becomes two underscores.
pub fn sanitize(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        let is_allowed = c == '_' || c.is_ascii_alphabetic();
        if is_allowed || (!name.is_empty() && c.is_ascii_digit()) {
            name.push(c);
        } else {
            name.push_str("__");
        }
    }
    name
}

/// The fewest bytes for every decimal of a precision.
fn decimal_bytes(precision: u8) -> usize {
    let bits = f64::from(precision) * std::f64::consts::LOG2_10;
    // A sign bit, and as many as the largest number has. No power of ten is a power of two, so the
    // logarithm is never so near to a whole number that its rounding matters.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 850"
    )]
    let bits = bits.ceil() as usize + 1;
    bits.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(sanitize("a.b-c1"), "a__b__c1");
        assert_eq!(sanitize("1a"), "__a");
        assert_eq!(sanitize("ü1"), "__1");
        assert_eq!(record_name("my-t").0, "my__t_record");
        assert_eq!(record_name("my-t").1, "hoodie.my__t");
    }

    #[test]
    fn decimal_sizes_of_the_specification() {
        let upper = [2, 4, 6, 9, 11, 14, 16, 18, 21, 23, 26, 28, 31, 33, 35, 38];
        for precision in 1..=38 {
            let expected = 1 + upper.iter().position(|p| precision <= *p).unwrap();
            assert_eq!(decimal_bytes(precision), expected, "{precision}");
        }
    }
}
