//! Numbers as Java prints them (spec 02 §4.2): keys, paths and texts made by both engines must be the same.

use std::fmt::Write as _;

/// Appends a double as `Double.toString` of Java 19 and later prints it: the fewest digits that lead back
/// to the number, at least one after the point, with an exponent below 0.001 and from 10,000,000 on.
///
/// Older Java releases print a digit too many for a few numbers.
pub fn double(out: &mut String, value: f64) {
    let mut shortest = format!("{:e}", value.abs());
    if !shortest.contains('.') {
        // Java looks at two digits at least; this matters for the very smallest numbers.
        shortest = format!("{:.1e}", value.abs());
    }
    floating(
        out,
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
        &shortest,
    );
}

/// Appends a float as `Float.toString` prints it.
pub fn float(out: &mut String, value: f32) {
    let mut shortest = format!("{:e}", value.abs());
    if !shortest.contains('.') {
        shortest = format!("{:.1e}", value.abs());
    }
    floating(
        out,
        value.is_nan(),
        value.is_infinite(),
        value.is_sign_negative(),
        &shortest,
    );
}

/// `shortest` is the number without sign as `digit.digits e exponent`.
fn floating(out: &mut String, nan: bool, infinite: bool, negative: bool, shortest: &str) {
    if nan {
        out.push_str("NaN");
        return;
    }
    if negative {
        out.push('-');
    }
    if infinite {
        out.push_str("Infinity");
        return;
    }
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let rest = rest.trim_end_matches('0');
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if first == "0" {
        out.push_str("0.0");
        return;
    }
    match exponent {
        -3..=-1 => {
            out.push_str("0.");
            let zeros = exponent.unsigned_abs() as usize - 1;
            out.extend(std::iter::repeat_n('0', zeros));
            out.push_str(first);
            out.push_str(rest);
        }
        0..=6 => {
            out.push_str(first);
            let whole = exponent.unsigned_abs() as usize;
            let mut digits = rest.chars();
            out.extend((0..whole).map(|_| digits.next().unwrap_or('0')));
            out.push('.');
            let fraction = digits.as_str();
            out.push_str(if fraction.is_empty() { "0" } else { fraction });
        }
        _ => {
            let rest = if rest.is_empty() { "0" } else { rest };
            // Writing to a String cannot fail.
            let _ = write!(out, "{first}.{rest}E{exponent}");
        }
    }
}

/// Appends a decimal as `BigDecimal.toString` prints it: plain when the scale is not negative and the
/// number not tiny, else with an exponent. `unscaled` is the whole number without its point.
pub fn decimal(out: &mut String, unscaled: &str, scale: i8) {
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    out.push_str(sign);
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let scale = i64::from(scale);
    let exponent = count - 1 - scale;
    if scale == 0 {
        out.push_str(digits);
    } else if scale > 0 && exponent >= -6 {
        let whole = usize::try_from(count - scale).unwrap_or_default();
        let zeros = usize::try_from(scale - count).unwrap_or_default();
        let (before, after) = digits.split_at_checked(whole).unwrap_or((digits, ""));
        out.push_str(if before.is_empty() { "0" } else { before });
        out.push('.');
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(after);
    } else {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        if exponent != 0 {
            // Writing to a String cannot fail.
            let _ = write!(out, "E{exponent:+}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn print(append: impl FnOnce(&mut String)) -> String {
        let mut text = String::new();
        append(&mut text);
        text
    }

    #[test]
    fn doubles_as_java_prints_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (100.0, "100.0"),
            (123.456, "123.456"),
            (0.001, "0.001"),
            (0.012_5, "0.0125"),
            (0.000_999, "9.99E-4"),
            (9_999_999.0, "9999999.0"),
            (1_234_567.875, "1234567.875"),
            (1e7, "1.0E7"),
            (1e10, "1.0E10"),
            (1.234_567_89e10, "1.23456789E10"),
            (1e-5, "1.0E-5"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(print(|out| double(out, value)), text);
        }
    }

    #[test]
    fn floats_as_java_prints_them() {
        for (value, text) in [
            (0.1_f32, "0.1"),
            (1e7, "1.0E7"),
            (1e-5, "1.0E-5"),
            (16_777_216.0, "1.6777216E7"),
            (f32::MAX, "3.4028235E38"),
            (1e-45, "1.4E-45"),
            (0.333_333_34, "0.33333334"),
        ] {
            assert_eq!(print(|out| float(out, value)), text);
        }
    }

    #[test]
    fn decimals_as_java_prints_them() {
        for (unscaled, scale, text) in [
            ("1", 8, "1E-8"),
            ("0", 8, "0E-8"),
            ("0", 2, "0.00"),
            ("150", 2, "1.50"),
            ("-150", 2, "-1.50"),
            ("5", 2, "0.05"),
            ("-5", 2, "-0.05"),
            ("1234567890", 5, "12345.67890"),
            ("12345678901200000000", 8, "123456789012.00000000"),
            ("1", 6, "0.000001"),
            ("1", 7, "1E-7"),
            ("15", 8, "1.5E-7"),
            ("123", 0, "123"),
            ("123", -2, "1.23E+4"),
            ("1", -3, "1E+3"),
        ] {
            assert_eq!(
                print(|out| decimal(out, unscaled, scale)),
                text,
                "{unscaled} {scale}"
            );
        }
    }

    proptest! {
        #[test]
        fn printed_doubles_lead_back(value in any::<f64>()) {
            let text = print(|out| double(out, value));
            let back: f64 = text.parse().unwrap();
            prop_assert!(back.to_bits() == value.to_bits() || (back.is_nan() && value.is_nan()));
        }

        #[test]
        fn printed_decimals_lead_back(unscaled in any::<i64>(), scale in 0_i8..12) {
            let text = print(|out| decimal(out, &unscaled.to_string(), scale));
            let exact = i128::from(unscaled);
            let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
            let digits = mantissa.replace('.', "");
            let fraction = mantissa.split_once('.').map_or(0, |(_, f)| f.len());
            prop_assert_eq!(digits.parse::<i128>().unwrap(), exact);
            let shift = i64::try_from(fraction).unwrap() - exponent.parse::<i64>().unwrap();
            prop_assert_eq!(shift, i64::from(scale));
        }
    }
}
