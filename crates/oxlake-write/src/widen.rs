//! Which types of input fit into which type of a table.

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};

/// How a column gets to its type in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Widening {
    /// It has it.
    Same,
    /// Every value fits.
    Cast,
    /// A value fits if it comes back unchanged; each is checked.
    Exact,
}

/// How values of `from` get into a column of type `to`; `None` when some kinds of value could be lost or the types
/// mean different things.
pub(crate) fn widening(from: &DataType, to: &DataType) -> Option<Widening> {
    use DataType::{
        Binary, BinaryView, Date32, Date64, Decimal32, Decimal64, Decimal128, Dictionary,
        FixedSizeBinary, FixedSizeList, Float16, Float32, Float64, Int8, Int16, Int32, Int64,
        LargeBinary, LargeList, LargeUtf8, List, Map, Null, Struct, Time32, Time64, Timestamp,
        UInt8, UInt16, UInt32, Utf8, Utf8View,
    };
    match (from, to) {
        (from, to) if from == to => Some(Widening::Same),
        (Dictionary(_, values), to) => widening(values, to).map(|it| it.max(Widening::Cast)),
        (Null, _)
        | (Int8 | Int16 | UInt8 | UInt16, Int32)
        | (Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32, Int64)
        | (Int8 | Int16 | UInt8 | UInt16 | Float16, Float32)
        | (Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32 | Float16 | Float32, Float64)
        | (LargeUtf8 | Utf8View, Utf8)
        | (LargeBinary | BinaryView | FixedSizeBinary(_), Binary) => Some(Widening::Cast),
        (Date64, Date32) => Some(Widening::Exact),
        (Timestamp(from_unit, from_zone), Timestamp(to_unit, to_zone)) => {
            // A time without a zone is read as UTC; a moment does not become a local time.
            let is_local_lost = from_zone.is_some() && to_zone.is_none();
            (!is_local_lost).then(|| unit_widening(*from_unit, *to_unit))
        }
        (Time32(from_unit) | Time64(from_unit), Time32(to_unit) | Time64(to_unit)) => {
            Some(unit_widening(*from_unit, *to_unit))
        }
        (
            Decimal32(precision, scale)
            | Decimal64(precision, scale)
            | Decimal128(precision, scale),
            Decimal128(to_precision, to_scale),
        ) => {
            let whole = i16::from(*precision) - i16::from(*scale);
            let to_whole = i16::from(*to_precision) - i16::from(*to_scale);
            (to_whole >= whole && to_scale >= scale).then_some(Widening::Cast)
        }
        (Struct(from), Struct(to)) => struct_widening(from, to),
        (List(from) | LargeList(from) | FixedSizeList(from, _), List(to)) => {
            item_widening(from, to)
        }
        (Map(from, _), Map(to, _)) => item_widening(from, to),
        _ => None,
    }
}

/// Finer into coarser must be checked value by value, coarser into finer can only overflow, which the cast reports.
fn unit_widening(from: TimeUnit, to: TimeUnit) -> Widening {
    if from > to {
        Widening::Exact
    } else {
        Widening::Cast
    }
}

/// The fields of a struct must be the same by name and number; the cast matches them by name.
fn struct_widening(from: &Fields, to: &Fields) -> Option<Widening> {
    if from.len() != to.len() {
        return None;
    }
    let mut result = Widening::Cast;
    for (from, to) in from.iter().zip(to) {
        if from.name() != to.name() {
            return None;
        }
        result = result.max(item_widening(from, to)?);
    }
    Some(result)
}

fn item_widening(from: &Field, to: &Field) -> Option<Widening> {
    widening(from.data_type(), to.data_type()).map(|it| it.max(Widening::Cast))
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::{
        Binary, Boolean, Decimal128, Float32, Float64, Int32, Int64, LargeUtf8, List, Timestamp,
        UInt64, Utf8,
    };

    fn list(item: DataType, name: &str) -> DataType {
        List(Field::new(name, item, true).into())
    }

    fn at(unit: TimeUnit, zone: Option<&str>) -> DataType {
        Timestamp(unit, zone.map(Into::into))
    }

    #[test]
    fn what_fits_and_what_does_not() {
        let cases = [
            (Int64, Int64, Some(Widening::Same)),
            (Int32, Int64, Some(Widening::Cast)),
            (Int32, Float64, Some(Widening::Cast)),
            (Float32, Float64, Some(Widening::Cast)),
            (DataType::Null, Utf8, Some(Widening::Cast)),
            (
                list(LargeUtf8, "item"),
                list(Utf8, "element"),
                Some(Widening::Cast),
            ),
            (Decimal128(9, 2), Decimal128(10, 2), Some(Widening::Cast)),
            (
                at(TimeUnit::Second, None),
                at(TimeUnit::Microsecond, None),
                Some(Widening::Cast),
            ),
            (
                at(TimeUnit::Nanosecond, None),
                at(TimeUnit::Microsecond, Some("UTC")),
                Some(Widening::Exact),
            ),
            (
                at(TimeUnit::Microsecond, Some("UTC")),
                at(TimeUnit::Microsecond, None),
                None,
            ),
            (Int64, Int32, None),
            (Int64, Float64, None),
            (UInt64, Int64, None),
            (Float64, Float32, None),
            (Utf8, Binary, None),
            (Utf8, Int64, None),
            (Boolean, Int32, None),
            (Decimal128(10, 2), Decimal128(10, 3), None),
            (Decimal128(10, 2), Decimal128(12, 1), None),
        ];
        for (from, to, expected) in cases {
            assert_eq!(widening(&from, &to), expected, "{from} into {to}");
        }
    }
}
