//! Pure planners and checks over values.
//!
//! Each planner is a function in its own file, with its properties beside it: it takes values that others loaded
//! and answers with a value that others carry out. Nothing here knows storage, a clock or randomness.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod assign_buckets;
mod average_record_size;
mod cleaned_past;
mod instants_in_range;
mod next_transition;
mod plan_rollback;
mod prune_partitions;
mod reconcile_markers;
mod small_files;
mod workload_profile;

pub use assign_buckets::{Bucket, BucketAssignment, BucketKind, Sizing, assign_buckets};
pub use average_record_size::{RecordSizeOptions, average_record_size};
pub use cleaned_past::{Hole, first_readable, holes, retained_since};
pub use instants_in_range::{InstantRange, InstantsInRange, instants_in_range};
pub use next_transition::{Event, IllegalTransition, Transition, next_transition};
pub use plan_rollback::{ForeignFile, PlannedFile, RollbackEvidence, files_of_plan, plan_rollback};
pub use prune_partitions::{PartitionValue, partition_may_match};
pub use reconcile_markers::reconcile_markers;
pub use small_files::{SmallFile, small_files};
pub use workload_profile::{PartitionProfile, UpdateProfile, WorkloadProfile};
