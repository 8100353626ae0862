//! Decimals: from text, and from one scale to another.

use arrow::array::ArrowNativeTypeOp;
use arrow::datatypes::i256;

/// Whether `value` has at most `precision` digits.
pub(crate) fn fits(value: i128, precision: u8) -> bool {
    10i128
        .checked_pow(u32::from(precision))
        .is_none_or(|bound| value.unsigned_abs() < bound.unsigned_abs())
}

/// `value / 10^from` as a number of scale `to` and at most `precision` digits; no digit may be lost.
pub(crate) fn rescale(value: i128, from: i8, to: i8, precision: u8) -> Option<i128> {
    let shift = i32::from(to) - i32::from(from);
    let power = 10i128.checked_pow(shift.unsigned_abs());
    let scaled = if value == 0 {
        0
    } else if shift >= 0 {
        value.checked_mul(power?)?
    } else {
        let power = power?;
        if value % power != 0 {
            return None;
        }
        value / power
    };
    fits(scaled, precision).then_some(scaled)
}

/// A decimal text (`-12.50`, `1E+3`) as a number of this scale, half up, as `BigDecimal.setScale` does.
pub(crate) fn parse(text: &str, precision: u8, scale: i8) -> Option<i128> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, number) = match number.as_bytes().first()? {
        b'-' => (true, number.get(1..)?),
        b'+' => (false, number.get(1..)?),
        _ => (false, number),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let digits = whole.bytes().chain(fraction.bytes());
    // Digits that count: up to the one that decides the rounding.
    let point = i64::try_from(whole.len()).ok()? + i64::from(exponent);
    let wanted = point + i64::from(scale);
    let mut value = 0i128;
    let mut round_up = false;
    for (position, digit) in (0i64..).zip(digits) {
        if !digit.is_ascii_digit() {
            return None;
        }
        let digit = i128::from(digit - b'0');
        match position.cmp(&wanted) {
            std::cmp::Ordering::Less => value = value.checked_mul(10)?.checked_add(digit)?,
            std::cmp::Ordering::Equal => round_up = digit >= 5,
            std::cmp::Ordering::Greater => {}
        }
    }
    let given = i64::try_from(whole.len() + fraction.len()).ok()?;
    if value != 0 && wanted > given {
        let zeros = u32::try_from(wanted - given).ok()?;
        value = value.checked_mul(10i128.checked_pow(zeros)?)?;
    }
    value += i128::from(round_up);
    let value = if negative { -value } else { value };
    fits(value, precision).then_some(value)
}

/// `value * 10^power` with room for every 128-bit value and scale.
pub(crate) fn widen(value: i128, power: u8) -> i256 {
    i256::from_i128(value).mul_wrapping(i256::from_i128(10).pow_wrapping(u32::from(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_decimals_half_up() {
        for (text, precision, scale, expected) in [
            ("1", 5, 2, Some(100)),
            ("-1.005", 5, 2, Some(-101)),
            ("0.004", 5, 2, Some(0)),
            ("0.005", 5, 2, Some(1)),
            ("0.0049", 5, 2, Some(0)),
            ("1.2E3", 6, 1, Some(12_000)),
            ("1.5E-3", 6, 4, Some(15)),
            ("5E-1", 3, 0, Some(1)),
            ("4E-1", 3, 0, Some(0)),
            ("999.995", 5, 2, None),
            ("+.5", 3, 1, Some(5)),
            ("7.", 3, 1, Some(70)),
            ("0E400", 3, 1, Some(0)),
            ("1E400", 3, 1, None),
            ("1E-400", 3, 1, Some(0)),
            ("", 3, 1, None),
            ("-", 3, 1, None),
            ("1x", 3, 1, None),
            ("NaN", 3, 1, None),
        ] {
            assert_eq!(parse(text, precision, scale), expected, "{text}");
        }
    }

    #[test]
    fn a_rescale_never_loses_a_digit() {
        assert_eq!(rescale(1250, 2, 1, 5), Some(125));
        assert_eq!(rescale(1251, 2, 1, 5), None);
        assert_eq!(rescale(999, 0, 2, 4), None);
        assert_eq!(rescale(-999, 0, 2, 5), Some(-99_900));
        assert_eq!(rescale(0, 0, 127, 38), Some(0));
        assert!(fits(i128::MAX, 39) && !fits(1000, 3) && fits(-999, 3));
    }
}
