//! The commands, one a file.

mod commit_show;
mod create;
mod demo;
mod file_group_list;
mod load;
mod query;
mod sql;
mod timeline_show;

use clap::Subcommand;

use crate::context::Context;
use crate::error::Result;

/// All commands, in the order in which a new user meets them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Create(create::Create),
    Load(load::Load),
    Query(query::Query),
    Sql(sql::Sql),
    /// The history of a table
    #[command(subcommand)]
    Timeline(Timeline),
    /// The files of a table
    #[command(subcommand)]
    FileGroup(FileGroup),
    /// One commit of a table
    #[command(subcommand)]
    Commit(Commit),
}

/// `oxlake timeline …`
#[derive(Debug, Subcommand)]
pub(crate) enum Timeline {
    Show(timeline_show::TimelineShow),
}

/// `oxlake file-group …`
#[derive(Debug, Subcommand)]
pub(crate) enum FileGroup {
    List(file_group_list::FileGroupList),
}

/// `oxlake commit …`
#[derive(Debug, Subcommand)]
pub(crate) enum Commit {
    Show(commit_show::CommitShow),
}

impl Command {
    /// Runs the command to its end.
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::Demo(command) => command.run(context).await,
            Self::Create(command) => command.run(context).await,
            Self::Load(command) => command.run(context).await,
            Self::Query(command) => command.run(context).await,
            Self::Sql(command) => command.run(context).await,
            Self::Timeline(Timeline::Show(command)) => command.run(context).await,
            Self::FileGroup(FileGroup::List(command)) => command.run(context).await,
            Self::Commit(Commit::Show(command)) => command.run(context).await,
        }
    }
}
