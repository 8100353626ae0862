//! Conditions written as SQL text, such as `--where`.

use arrow::datatypes::Schema;
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use oxlake_model::Predicate;

use crate::error::{Error, Result};
use crate::predicate::translate;

/// Reads an SQL condition on rows of `schema` as a [`Predicate`].
///
/// # Errors
/// [`Error::Filter`] if the text is not SQL, names an unknown column, or uses what a [`Predicate`]
/// cannot say (functions, arithmetic, patterns); such conditions can be evaluated by a query on a
/// session.
pub fn parse_predicate(context: &SessionContext, text: &str, schema: &Schema) -> Result<Predicate> {
    let refused = |problem: String| Error::Filter {
        text: text.to_owned(),
        problem,
    };
    let df_schema = DFSchema::try_from(schema.clone())?;
    let expr = parse(context, text, &df_schema)
        .map_err(|error| refused(crate::error::plain_message(&error)))?;
    translate(&expr, schema).ok_or_else(|| {
        refused(
            "only comparisons of a column with a value, IN, IS NULL, AND, OR and NOT".to_owned(),
        )
    })
}

/// Parses, adds the casts SQL implies and folds constants.
pub(crate) fn parse(
    context: &SessionContext,
    text: &str,
    schema: &DFSchema,
) -> DataFusionResult<Expr> {
    let expr = context.parse_sql_expr(text, schema)?;
    let simplify = SimplifyContext::builder()
        .with_schema(schema.clone().into())
        .build();
    let simplifier = ExprSimplifier::new(simplify);
    simplifier.simplify(simplifier.coerce(expr, schema)?)
}
