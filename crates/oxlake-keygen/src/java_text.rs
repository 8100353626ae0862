//! Numbers as Java prints them (spec 02 §4.2): keys made by both engines must be the same text.

/// `Double.toString`: plain between 10⁻³ and 10⁷, otherwise computerised scientific notation.
pub fn double_text(value: f64) -> String {
    if value.is_nan() || value.is_infinite() || value == 0.0 {
        return special(
            value.is_nan(),
            value.is_infinite(),
            value.is_sign_negative(),
        );
    }
    from_scientific(&format!("{value:e}"))
}

/// `Float.toString`.
pub fn float_text(value: f32) -> String {
    if value.is_nan() || value.is_infinite() || value == 0.0 {
        return special(
            value.is_nan(),
            value.is_infinite(),
            value.is_sign_negative(),
        );
    }
    from_scientific(&format!("{value:e}"))
}

/// `BigDecimal.toString` of an unscaled value and its scale.
pub fn decimal_text(unscaled: i128, scale: i8) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let sign = if unscaled < 0 { "-" } else { "" };
    let scale = i64::from(scale);
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let adjusted = count - 1 - scale;
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    if scale > 0 && adjusted >= -6 {
        let point = count - scale;
        if point > 0 {
            let (whole, part) = digits.split_at(usize::try_from(point).unwrap_or_default());
            return format!("{sign}{whole}.{part}");
        }
        let zeros = "0".repeat(usize::try_from(-point).unwrap_or_default());
        return format!("{sign}0.{zeros}{digits}");
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    match adjusted {
        0 => format!("{sign}{first}{point}{rest}"),
        a if a > 0 => format!("{sign}{first}{point}{rest}E+{a}"),
        a => format!("{sign}{first}{point}{rest}E{a}"),
    }
}

fn special(nan: bool, infinite: bool, negative: bool) -> String {
    let sign = if negative && !nan { "-" } else { "" };
    let text = match (nan, infinite) {
        (true, _) => "NaN",
        (_, true) => "Infinity",
        _ => "0.0",
    };
    format!("{sign}{text}")
}

/// From Rust's `-1.25e10` (shortest digits that read back) to Java's form.
fn from_scientific(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if !(-3..7).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        return format!("{sign}{first}.{rest}E{exponent}");
    }
    if exponent < 0 {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or_default());
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole_digits = usize::try_from(exponent).unwrap_or_default() + 1;
    let padded = format!("{digits:0<whole_digits$}");
    let (whole, part) = padded.split_at(whole_digits);
    let part = if part.is_empty() { "0" } else { part };
    format!("{sign}{whole}.{part}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn doubles_and_floats_as_java_prints_them() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e10, "1.0E10"),
            (1e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (0.001, "0.001"),
            (0.000_9, "9.0E-4"),
            (123.456, "123.456"),
            (-1.25e-7, "-1.25E-7"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::MAX, "1.7976931348623157E308"),
        ];
        for (value, text) in cases {
            assert_eq!(double_text(value), text);
        }
        assert_eq!(float_text(1e7), "1.0E7");
        assert_eq!(float_text(1e-5), "1.0E-5");
        assert_eq!(float_text(0.1), "0.1");
    }

    #[test]
    fn decimals_as_java_prints_them() {
        let cases = [
            (1_234_567_890, 5, "12345.67890"),
            (1, 8, "1E-8"),
            (12_345_678_901_200_000_000, 8, "123456789012.00000000"),
            (0, 2, "0.00"),
            (0, 8, "0E-8"),
            (-5, 1, "-0.5"),
            (100, 0, "100"),
            (15, -2, "1.5E+3"),
            (123, 7, "0.0000123"),
            (123, 9, "1.23E-7"),
        ];
        for (unscaled, scale, text) in cases {
            assert_eq!(decimal_text(unscaled, scale), text, "{unscaled} {scale}");
        }
    }

    proptest! {
        #[test]
        fn a_double_reads_back(value in any::<f64>()) {
            let text = double_text(value);
            let back: f64 = text.replace("Infinity", "inf").parse().unwrap();
            prop_assert!(back == value || (back.is_nan() && value.is_nan()));
            prop_assert!(text.contains('.') || !value.is_finite());
        }
    }
}
