//! Finding out where each row goes: into the file group that holds its key, or among the new rows of its partition.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arrow::array::{RecordBatch, StringArray, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use oxlake_index::{FooterCache, Index, IndexInput, Tags};
use oxlake_merge::Merger;
use oxlake_model::{BaseFile, FileGroupId, FileId, PartitionPath};
use oxlake_plan::WorkloadProfile;
use oxlake_table::MetaClient;

use crate::intake::{Intake, split_key_column, without_deletes};
use crate::rows::Rows;
use crate::spill::SpillMap;
use crate::units::{cut_into_units, load_unit};
use crate::{Error, Result, WriteOperation};

/// Where rows go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    partition: PartitionPath,
    /// `None`: the new rows of the partition.
    file_id: Option<FileId>,
}

impl Target {
    /// The new rows of a partition.
    pub(crate) fn inserts(partition: PartitionPath) -> Self {
        Self {
            partition,
            file_id: None,
        }
    }

    /// The rows of a file group.
    pub(crate) fn updates(group: FileGroupId) -> Self {
        Self {
            partition: group.partition,
            file_id: Some(group.file_id),
        }
    }
}

/// All rows of a write with their targets.
#[derive(Debug, Default)]
pub(crate) struct Routed {
    rows: BTreeMap<Target, Rows>,
    /// Counts by target.
    pub(crate) profile: WorkloadProfile,
    /// Bytes that went through files so far.
    pub(crate) spilled_bytes: u64,
}

impl Routed {
    /// Takes the rows of a target out.
    pub(crate) fn take(&mut self, target: &Target) -> Rows {
        self.rows.remove(target).unwrap_or_default()
    }
}

/// How rows are routed.
#[derive(Debug)]
pub(crate) struct Router<'a> {
    /// What is being done.
    pub(crate) operation: WriteOperation,
    /// Whether rows of one key are combined.
    pub(crate) combines: bool,
    /// Combines rows, and tells deletes among them.
    pub(crate) merger: &'a Merger,
    /// Whether an insert that looks its keys up stops at one that is there.
    pub(crate) refuses_known_keys: bool,
    /// Bytes to buffer.
    pub(crate) budget_bytes: u64,
    /// Where to spill.
    pub(crate) spill_folder: Option<PathBuf>,
}

/// Where keys are looked for.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    /// The table.
    pub(crate) meta: &'a MetaClient,
    /// How.
    pub(crate) index: &'static dyn Index,
    /// Footers seen before.
    pub(crate) footers: &'a FooterCache,
    /// The latest base files by partition.
    pub(crate) files: BTreeMap<PartitionPath, Vec<BaseFile>>,
}

/// The rows of a unit and the files that hold their keys.
struct Tagged {
    batches: Vec<RecordBatch>,
    keys: Vec<StringArray>,
    files: Vec<BaseFile>,
    tags: Tags,
}

impl Tagged {
    /// File, batch, and the rows of that batch whose key is in that file.
    fn rows_by_file(&self) -> Vec<(usize, usize, Vec<u32>)> {
        let mut groups: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
        for found in self.tags.matches() {
            let rows = groups.entry((found.file, found.batch)).or_default();
            rows.extend(u32::try_from(found.row));
        }
        groups
            .into_iter()
            .map(|((file, batch), rows)| (file, batch, rows))
            .collect()
    }

    /// For each batch the rows whose key is in no file.
    fn unknown_rows(&self) -> Vec<Vec<u32>> {
        let known = self.tags.known();
        let of_batch = |(at, batch): (usize, &RecordBatch)| {
            let rows = (0..batch.num_rows()).filter(|row| !known.contains(&(at, *row)));
            rows.filter_map(|row| u32::try_from(row).ok()).collect()
        };
        self.batches.iter().enumerate().map(of_batch).collect()
    }
}

impl Router<'_> {
    /// Routes rows whose keys nobody looks for: all are new.
    pub(crate) fn route_inserts(&self, mut intake: Intake) -> Result<Routed> {
        let mut routed = Routed::default();
        for partition in intake.rows.keys() {
            let mut rows = intake.rows.take(&partition);
            if self.combines {
                rows = self.combined(rows, &intake.schema, &mut routed.spilled_bytes)?;
            }
            routed.profile.add_inserts(&partition, rows.row_count());
            routed.rows.insert(Target::inserts(partition), rows);
        }
        routed.spilled_bytes += intake.rows.spilled_bytes();
        Ok(routed)
    }

    fn combined(&self, rows: Rows, schema: &SchemaRef, spilled: &mut u64) -> Result<Rows> {
        let mut combined = self.spill_map(schema);
        let (units, bytes) = self.cut(rows, schema)?;
        for unit in units {
            for batch in load_unit(unit, self.combiner())? {
                combined.append(&(), batch)?;
            }
        }
        *spilled += bytes + combined.spilled_bytes();
        Ok(combined.take(&()))
    }

    /// Routes rows by looking for their keys in the table. Deletes of keys that are not there are dropped.
    pub(crate) async fn route_by_key(
        &self,
        mut intake: Intake,
        lookup: &Lookup<'_>,
    ) -> Result<Routed> {
        let mut routed = Routed::default();
        let mut targets = self.spill_map(&intake.schema);
        for partition in intake.rows.keys() {
            let rows = intake.rows.take(&partition);
            // A partition counts in the profile even when nothing comes of its rows.
            routed.profile.add_inserts(&partition, 0);
            let (units, bytes) = self.cut(rows, &intake.schema)?;
            routed.spilled_bytes += bytes;
            for unit in units {
                let batches = load_unit(unit, self.combiner())?;
                let tagged = self.tag(lookup, &partition, batches).await?;
                self.send(&tagged, &partition, &mut targets, &mut routed.profile)?;
            }
        }
        routed.spilled_bytes += intake.rows.spilled_bytes() + targets.spilled_bytes();
        for target in targets.keys() {
            let rows = targets.take(&target);
            routed.rows.insert(target, rows);
        }
        Ok(routed)
    }

    async fn tag(
        &self,
        lookup: &Lookup<'_>,
        partition: &PartitionPath,
        batches: Vec<RecordBatch>,
    ) -> Result<Tagged> {
        let files = lookup.files.get(partition).map_or(&[][..], Vec::as_slice);
        let keys = batches.iter().map(|batch| Ok(split_key_column(batch)?.1));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let meta = lookup.meta;
        let (storage, env) = (meta.storage(), meta.env());
        let footers = lookup.footers;
        let input = IndexInput {
            storage,
            env,
            files,
            footers,
            keys: &keys,
        };
        let tags = lookup.index.tag(&input).await?;
        Ok(Tagged {
            batches,
            keys,
            files: files.to_vec(),
            tags,
        })
    }

    /// Sends the rows of a unit to their targets. A row goes to every file that holds its key.
    fn send(
        &self,
        tagged: &Tagged,
        partition: &PartitionPath,
        targets: &mut SpillMap<Target>,
        profile: &mut WorkloadProfile,
    ) -> Result<()> {
        if self.operation == WriteOperation::Insert {
            return self.send_new_only(tagged, partition, targets, profile);
        }
        for (file, batch, rows) in tagged.rows_by_file() {
            let Some((file, batch)) = tagged.files.get(file).zip(tagged.batches.get(batch)) else {
                continue;
            };
            let (file_id, count) = (&file.name.file_id, rows.len() as u64);
            profile.add_updates(partition, file_id, &file.name.instant, count);
            let rows = take_record_batch(batch, &UInt32Array::from(rows))?;
            targets.append(&Target::updates(file.file_group_id()), rows)?;
        }
        if self.operation == WriteOperation::Delete {
            return Ok(());
        }
        self.send_unknown(tagged, partition, targets, profile)
    }

    /// The rows whose key is in no file, without deletes: there is nothing to delete.
    fn send_unknown(
        &self,
        tagged: &Tagged,
        partition: &PartitionPath,
        targets: &mut SpillMap<Target>,
        profile: &mut WorkloadProfile,
    ) -> Result<()> {
        for (batch, rows) in tagged.batches.iter().zip(tagged.unknown_rows()) {
            let rows = take_record_batch(batch, &UInt32Array::from(rows))?;
            let rows = without_deletes(rows, self.merger)?;
            profile.add_inserts(partition, rows.num_rows() as u64);
            targets.append(&Target::inserts(partition.clone()), rows)?;
        }
        Ok(())
    }

    /// An insert that minds duplicates: rows of known keys are left out, or stop the write.
    fn send_new_only(
        &self,
        tagged: &Tagged,
        partition: &PartitionPath,
        targets: &mut SpillMap<Target>,
        profile: &mut WorkloadProfile,
    ) -> Result<()> {
        let known = tagged.tags.matches().next();
        if let (Some(found), true) = (known, self.refuses_known_keys) {
            let keys = tagged.keys.get(found.batch);
            let key = keys
                .map(|keys| keys.value(found.row).to_owned())
                .unwrap_or_default();
            return Err(Error::DuplicateKey {
                key,
                partition: partition.clone(),
            });
        }
        self.send_unknown(tagged, partition, targets, profile)
    }

    fn combiner(&self) -> Option<&Merger> {
        self.combines.then_some(self.merger)
    }

    fn cut(&self, rows: Rows, schema: &SchemaRef) -> Result<(Vec<Rows>, u64)> {
        cut_into_units(rows, schema, self.budget_bytes, self.spill_folder.as_ref())
    }

    fn spill_map<K: Ord + Clone>(&self, schema: &SchemaRef) -> SpillMap<K> {
        SpillMap::new(
            SchemaRef::clone(schema),
            self.budget_bytes,
            self.spill_folder.clone(),
        )
    }
}
