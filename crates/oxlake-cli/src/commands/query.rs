//! `oxlake query`: rows of one table, now, at a moment of its past, or what changed in a range.

use clap::Args;
use futures::StreamExt;
use oxlake::{META_COLUMNS, QueryKind, Table};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::TableOptions;

/// Rows of a table: now, as of a moment, or what changed in a range of time
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    oxlake query trips --where \"city = 'oslo' and fare > 20\" --columns id,fare\n  \
    oxlake query trips --as-of 2026-03-07\n  \
    oxlake query trips --from '2026-03-07 16:00' --to '2026-03-07 17:00' --format csv\n\n\
    Times are in the zone of the table (UTC for tables made by oxlake): 2026-03-07, 2026-03-07 16:24[:34[.124]], \
    with Z or an offset, or the digits of an instant.")]
pub(crate) struct Query {
    /// Folder or URL of the table
    table: String,
    /// The table as it was at this moment
    #[arg(long, value_name = "TIME", conflicts_with_all = ["from", "to"])]
    as_of: Option<String>,
    /// Only rows changed by commits completed after this moment; `earliest` for all
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// … and not after this one
    #[arg(long, value_name = "TIME", requires = "from")]
    to: Option<String>,
    /// A condition in SQL
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,
    /// Columns to print, in this order [default: all but the meta columns]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    columns: Option<Vec<String>>,
    /// Rows to print at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print the five meta columns too
    #[arg(long, conflicts_with = "columns")]
    meta: bool,
}

impl Query {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let table = context.open(&self.table).await?;
        let kind = self.kind(&table)?;
        let view = table.view(kind).await?;
        let columns = match (&self.columns, self.meta) {
            (Some(columns), _) => Some(columns.clone()),
            (None, true) => None,
            (None, false) => {
                let names = view
                    .schema()
                    .fields()
                    .iter()
                    .map(|field| field.name().clone());
                Some(
                    names
                        .filter(|name| !META_COLUMNS.contains(&name.as_str()))
                        .collect(),
                )
            }
        };
        let rows = table
            .session()
            .select(
                view,
                self.condition.as_deref(),
                columns.as_deref(),
                self.limit,
            )
            .await
            .map_err(oxlake::Error::from)?;
        let mut options = TableOptions::new();
        options.max_rows = self.limit.is_none().then_some(TableOptions::MAX_ROWS);
        let batches = rows
            .batches
            .map(|batch| batch.map_err(|error| oxlake::Error::from(error).into()));
        context.print(&rows.schema, &options, batches).await
    }

    fn kind(&self, table: &Table) -> Result<QueryKind> {
        if let Some(text) = &self.as_of {
            return Ok(QueryKind::TimeTravel(time(table, "--as-of", text)?));
        }
        let Some(from) = &self.from else {
            return Ok(QueryKind::Snapshot);
        };
        let from = table
            .parse_begin(from)
            .map_err(|error| usage("--from", &error))?;
        let to = self
            .to
            .as_ref()
            .map(|text| time(table, "--to", text))
            .transpose()?;
        Ok(QueryKind::Incremental { from, to })
    }
}

/// A time given as the value of `option`; nonsense is a usage error.
pub(super) fn time(table: &Table, option: &str, text: &str) -> Result<oxlake::InstantTime> {
    table
        .parse_time(text)
        .map_err(|error| usage(option, &error))
}

fn usage(option: &str, error: &oxlake::Error) -> Error {
    Error::Usage(format!("{option}: {error}"))
}
