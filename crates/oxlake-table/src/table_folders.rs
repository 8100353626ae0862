//! The folders of a new table (spec 01 §1.3).
//!
//! Object stores have no folders and a reader takes a missing one as empty; on a file system the reference
//! makes them all, in this order, before `hoodie.properties` makes the table.

use oxlake_config::TableConfig;
use oxlake_model::TimelineLayout;
use oxlake_storage::Storage;

use crate::Result;

/// Makes the folders; those that exist are left alone.
pub(crate) async fn create(storage: &Storage, config: &TableConfig) -> Result<()> {
    for folder in folders(config) {
        storage.ensure_folder(&folder).await?;
    }
    Ok(())
}

fn folders(config: &TableConfig) -> Vec<String> {
    let mut folders = vec![".hoodie/.schema".to_owned()];
    match config.layout() {
        TimelineLayout::V1 => folders.push(config.history_path()),
        TimelineLayout::V2 => {
            folders.push(config.timeline_path());
            folders.push(config.history_path());
        }
    }
    let fixed = [
        ".hoodie/.temp",
        ".hoodie/.aux/.bootstrap/.partitions",
        ".hoodie/.aux/.bootstrap/.fileids",
    ];
    folders.extend(fixed.map(str::to_owned));
    folders
}
