//! From DataFusion's expressions to our [`Predicate`].
//!
//! Only what means the same on both sides is translated: a column compared with a literal of the
//! column's own type, `IN`, `IS NULL`, and `AND`, `OR`, `NOT` over them. Everything else
//! (functions, casts of columns, nested fields, `NaN`) stays with DataFusion, which evaluates it on
//! the rows.

mod literal;
mod sql;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, expr::InList};
use oxlake_model::{CompareOp, Literal, Predicate};

pub(crate) use self::sql::Sql;

use self::literal::literal_of;

/// Translates a condition on rows of `schema`; `None` if part of it has no equal on our side.
///
/// The result is true, false or unknown for exactly the rows for which `expr` is.
pub fn translate(expr: &Expr, schema: &Schema) -> Option<Predicate> {
    match expr {
        Expr::BinaryExpr(binary) => translate_binary(binary, schema),
        Expr::Not(inner) => Some(Predicate::Not(Box::new(translate(inner, schema)?))),
        Expr::IsNull(inner) => Some(Predicate::IsNull(flat_column(inner, schema)?.0)),
        Expr::IsNotNull(inner) => Some(Predicate::IsNotNull(flat_column(inner, schema)?.0)),
        Expr::InList(list) => translate_in(list, schema),
        Expr::Between(between) => {
            let low = comparison(&between.expr, CompareOp::GtEq, &between.low, schema)?;
            let high = comparison(&between.expr, CompareOp::LtEq, &between.high, schema)?;
            Some(negated_if(between.negated, low.and(high)))
        }
        Expr::Column(_) => {
            let (name, data_type) = flat_column(expr, schema)?;
            (*data_type == DataType::Boolean).then(|| Predicate::eq(name, true))
        }
        Expr::Literal(ScalarValue::Boolean(Some(true)), _) => Some(Predicate::True),
        Expr::Alias(alias) => translate(&alias.expr, schema),
        _ => None,
    }
}

fn translate_binary(binary: &BinaryExpr, schema: &Schema) -> Option<Predicate> {
    let both = || {
        Some((
            translate(&binary.left, schema)?,
            translate(&binary.right, schema)?,
        ))
    };
    match binary.op {
        Operator::And => both().map(|(left, right)| left.and(right)),
        Operator::Or => both().map(|(left, right)| Predicate::Or(vec![left, right])),
        op => {
            let op = compare_op(op)?;
            comparison(&binary.left, op, &binary.right, schema)
                .or_else(|| comparison(&binary.right, op.swap(), &binary.left, schema))
        }
    }
}

fn translate_in(list: &InList, schema: &Schema) -> Option<Predicate> {
    let (column, data_type) = flat_column(&list.expr, schema)?;
    let values = list.list.iter().map(|value| scalar(value, data_type));
    let values = values.collect::<Option<Vec<_>>>()?;
    Some(negated_if(list.negated, Predicate::In { column, values }))
}

fn comparison(column: &Expr, op: CompareOp, value: &Expr, schema: &Schema) -> Option<Predicate> {
    let (column, data_type) = flat_column(column, schema)?;
    Some(Predicate::Compare {
        column,
        op,
        value: scalar(value, data_type)?,
    })
}

/// A top-level column without a dot in its name (a dot would mean a nested field on our side).
fn flat_column<'a>(expr: &Expr, schema: &'a Schema) -> Option<(String, &'a DataType)> {
    let Expr::Column(Column { name, .. }) = expr else {
        return None;
    };
    let field = schema.field_with_name(name).ok()?;
    let is_flat = !field.data_type().is_nested() && !name.contains('.');
    is_flat.then(|| (name.clone(), field.data_type()))
}

fn scalar(expr: &Expr, data_type: &DataType) -> Option<Literal> {
    match expr {
        Expr::Literal(value, _) => literal_of(value, data_type),
        _ => None,
    }
}

fn negated_if(negated: bool, predicate: Predicate) -> Predicate {
    if negated {
        Predicate::Not(Box::new(predicate))
    } else {
        predicate
    }
}

fn compare_op(op: Operator) -> Option<CompareOp> {
    match op {
        Operator::Eq => Some(CompareOp::Eq),
        Operator::NotEq => Some(CompareOp::NotEq),
        Operator::Lt => Some(CompareOp::Lt),
        Operator::LtEq => Some(CompareOp::LtEq),
        Operator::Gt => Some(CompareOp::Gt),
        Operator::GtEq => Some(CompareOp::GtEq),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
