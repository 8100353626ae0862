//! Writing the files of a commit: one task a bucket, several at once.

use std::collections::BTreeMap;

use oxlake_file_group::{
    ConcatHandle, CreateHandle, HandleContext, IncomingRecords, MergeHandle, WriteStatus,
};
use oxlake_model::{BaseFile, FileGroupId};
use oxlake_plan::{Bucket, BucketAssignment, BucketKind};
use tokio::task::JoinSet;

use crate::intake::split_key_column;
use crate::route::{Routed, Target};
use crate::rows::Rows;
use crate::{Error, Result, WriteOperation};

/// What all tasks of one write share.
#[derive(Debug, Clone)]
pub(crate) struct TaskContext {
    /// What the handles need.
    pub(crate) handles: HandleContext,
    /// What is being done.
    pub(crate) operation: WriteOperation,
    /// Whether inserts into an existing file are appended without looking at keys.
    pub(crate) appends: bool,
}

/// The rows of one bucket.
#[derive(Debug)]
pub(crate) struct WriteTask {
    id: u32,
    bucket: Bucket,
    base: Option<BaseFile>,
    updates: Rows,
    inserts: Rows,
}

/// Hands the routed rows to the buckets. `bases` holds the latest base file of every group that is updated.
pub(crate) fn plan_tasks(
    assignment: BucketAssignment,
    mut routed: Routed,
    bases: &BTreeMap<FileGroupId, BaseFile>,
) -> Result<Vec<WriteTask>> {
    let mut inserts: BTreeMap<usize, Rows> = BTreeMap::new();
    for (partition, order) in &assignment.insert_order {
        let mut rows = routed.take(&Target::inserts(partition.clone()));
        for (bucket, count) in order {
            inserts.insert(*bucket, rows.split_front(*count));
        }
    }
    let mut tasks = Vec::with_capacity(assignment.buckets.len());
    for (index, bucket) in assignment.buckets.into_iter().enumerate() {
        let (mut base, mut updates) = (None, Rows::default());
        if let BucketKind::Update(file_id) = &bucket.kind {
            let group = FileGroupId::new(bucket.partition.clone(), file_id.clone());
            let found = bases.get(&group).cloned();
            base = Some(found.ok_or_else(|| Error::Internal {
                what: format!("file group {group} is to be updated but has no base file"),
            })?);
            updates = routed.take(&Target::updates(group));
        }
        let id = u32::try_from(index).map_err(|_| Error::Internal {
            what: "more buckets than a write token can number".to_owned(),
        })?;
        let inserts = inserts.remove(&index).unwrap_or_default();
        tasks.push(WriteTask {
            id,
            bucket,
            base,
            updates,
            inserts,
        });
    }
    Ok(tasks)
}

/// Runs the tasks, at most `concurrency` at once. The statuses are in the order of the tasks. After the first failure no
/// task is begun; those under way are waited for, so that no file appears after this has answered.
pub(crate) async fn run_tasks(
    context: &TaskContext,
    tasks: Vec<WriteTask>,
    concurrency: usize,
) -> Result<Vec<WriteStatus>> {
    let mut running = JoinSet::new();
    let mut waiting = tasks.into_iter();
    let mut done: BTreeMap<u32, Vec<WriteStatus>> = BTreeMap::new();
    let mut failure = None;
    loop {
        while failure.is_none() && running.len() < concurrency.max(1) {
            let Some(task) = waiting.next() else { break };
            let (id, context) = (task.id, context.clone());
            running.spawn(async move { (id, task.run(&context).await) });
        }
        match running.join_next().await {
            None => break,
            Some(Ok((id, Ok(statuses)))) => {
                done.insert(id, statuses);
            }
            Some(Ok((_, Err(error)))) => {
                failure.get_or_insert(error);
            }
            Some(Err(source)) => {
                failure.get_or_insert(Error::Task { source });
            }
        }
    }
    match failure {
        Some(error) => Err(error),
        None => Ok(done.into_values().flatten().collect()),
    }
}

impl WriteTask {
    async fn run(mut self, context: &TaskContext) -> Result<Vec<WriteStatus>> {
        match self.base.take() {
            None => self.create(context).await,
            Some(base) if context.appends && self.updates.row_count() == 0 => {
                self.append(context, base).await
            }
            Some(base) => self.merge(context, base).await,
        }
    }

    async fn create(self, context: &TaskContext) -> Result<Vec<WriteStatus>> {
        let partition = self.bucket.partition.clone();
        let mut handle = CreateHandle::new(&context.handles, self.id, partition);
        for batch in self.inserts.into_batches() {
            let (rows, keys) = split_key_column(&batch?)?;
            handle.write(&rows, &keys).await?;
        }
        Ok(handle.close().await?)
    }

    async fn append(self, context: &TaskContext, base: BaseFile) -> Result<Vec<WriteStatus>> {
        let mut handle = ConcatHandle::open(&context.handles, self.id, base).await?;
        for batch in self.inserts.into_batches() {
            let (rows, keys) = split_key_column(&batch?)?;
            handle.write(&rows, &keys).await?;
        }
        Ok(vec![handle.close().await?])
    }

    async fn merge(self, context: &TaskContext, base: BaseFile) -> Result<Vec<WriteStatus>> {
        let mut incoming = IncomingRecords::new(&context.handles);
        for batch in self
            .updates
            .into_batches()
            .chain(self.inserts.into_batches())
        {
            let (rows, keys) = split_key_column(&batch?)?;
            if context.operation == WriteOperation::Delete {
                incoming.push_deletes(&keys)?;
            } else {
                incoming.push(&rows, &keys)?;
            }
        }
        let handle = MergeHandle::new(&context.handles, self.id, base);
        Ok(vec![handle.run(incoming).await?])
    }
}
