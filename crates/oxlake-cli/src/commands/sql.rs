//! `oxlake sql`: any query over any tables.

use clap::Args;
use futures::StreamExt;
use oxlake::Session;

use crate::context::Context;
use crate::error::Result;
use crate::output::TableOptions;

/// A query in SQL; a path or URL in quotes is a table
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    oxlake sql \"select city, count(*) from 'trips' group by city order by 2 desc\"\n  \
    oxlake sql \"select a.name, f.dest from 's3://lake/flights' f join 'airlines.csv' a on a.carrier = f.carrier\"\n\n\
    Names ending in .parquet, .csv or .json are files. The query reads the latest snapshot of each table.")]
pub(crate) struct Sql {
    /// The query
    #[arg(value_name = "QUERY")]
    text: String,
}

impl Sql {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let session = Session::new(&context.env, &context.conf);
        let rows = session.sql(&self.text).await.map_err(oxlake::Error::from)?;
        let mut options = TableOptions::new();
        options.max_rows = Some(TableOptions::MAX_ROWS);
        let batches = rows
            .batches
            .map(|batch| batch.map_err(|error| oxlake::Error::from(error).into()));
        context.print(&rows.schema, &options, batches).await
    }
}
