//! Numbers as Java prints them (`Float.toString`, `Double.toString`).

use std::fmt::{LowerExp, Write};

/// `Double.toString`: shortest digits, plain between 10⁻³ and 10⁷, otherwise `d.dddE±n`.
pub(crate) fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    text(
        value,
        value.is_infinite(),
        value == 0.0,
        value.is_sign_negative(),
    )
}

/// `Float.toString`, by the same rules on the digits of a float.
pub(crate) fn float_text(value: f32) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    text(
        value,
        value.is_infinite(),
        value == 0.0,
        value.is_sign_negative(),
    )
}

fn text(value: impl LowerExp, infinite: bool, zero: bool, negative: bool) -> String {
    let sign = if negative { "-" } else { "" };
    if infinite {
        return format!("{sign}Infinity");
    }
    if zero {
        return format!("{sign}0.0");
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let mut out = String::from(sign);
    if (-3..7).contains(&exponent) {
        plain(&mut out, &digits, exponent);
    } else {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let _ = write!(out, "{first}.{rest}E{exponent}");
    }
    out
}

fn plain(out: &mut String, digits: &str, exponent: i32) {
    match usize::try_from(exponent) {
        Err(_) => {
            let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
            let _ = write!(out, "0.{}{digits}", "0".repeat(zeros));
        }
        Ok(exponent) if digits.len() <= exponent + 1 => {
            let zeros = exponent + 1 - digits.len();
            let _ = write!(out, "{digits}{}.0", "0".repeat(zeros));
        }
        Ok(exponent) => {
            let (whole, fraction) = digits.split_at(exponent + 1);
            let _ = write!(out, "{whole}.{fraction}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_print_as_in_java() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (100.0, "100.0"),
            (123.456, "123.456"),
            (0.001, "0.001"),
            (0.00012, "1.2E-4"),
            (9_999_999.0, "9999999.0"),
            (10_000_000.0, "1.0E7"),
            (-12_345_678.9, "-1.23456789E7"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double_text(value), expected);
        }
    }

    #[test]
    fn floats_print_their_own_digits() {
        assert_eq!(float_text(0.1), "0.1");
        assert_eq!(float_text(16_777_216.0), "1.6777216E7");
        assert_eq!(float_text(f32::INFINITY), "Infinity");
    }
}
