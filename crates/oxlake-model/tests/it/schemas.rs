//! The embedded schema texts are those of the JVM.

use oxlake_model::metadata::{
    CleanMetadata, CleanerPlan, CommitMetadata, CompactionPlan, IndexCommitMetadata, IndexPlan,
    RequestedReplaceMetadata, RestoreMetadata, RestorePlan, RollbackMetadata, RollbackPlan,
    SavepointMetadata,
};
use sha2::{Digest, Sha256};

/// Length and first eight bytes of the SHA-256, as in spec 01 §4.2; the last four as measured on golden tables.
#[test]
fn every_text_has_the_length_and_digest_of_the_specification() {
    let expected = [
        (CommitMetadata::avro_schema(), 3293, "138d2a7342c160e0"),
        (CommitMetadata::replace_schema(), 3476, "db733c7aa73f03f6"),
        (RequestedReplaceMetadata::schema(), 2603, "2b07d21bbc5d5bba"),
        (CompactionPlan::schema(), 2191, "8b25e6cc9f4d3013"),
        (RollbackPlan::schema(), 1141, "db176cd73b6c2a78"),
        (RollbackMetadata::schema(), 1409, "82c7840ece2f8b3e"),
        (IndexPlan::schema(), 719, "e49ee6c7b70c5250"),
        (IndexCommitMetadata::schema(), 1038, "983e25b624e97636"),
        (CleanerPlan::schema(), 1642, "744b54da7af51340"),
        (CleanMetadata::schema(), 1542, "41f41ba914b08b2f"),
        (RestorePlan::schema(), 557, "1a1624a7f29fa189"),
        (RestoreMetadata::schema(), 2005, "db536b57da3f7cf9"),
        (SavepointMetadata::schema(), 689, "465fe1cf2c6d1f85"),
    ];
    for (schema, length, digest) in expected {
        let text = schema.unwrap().json();
        let hash = Sha256::digest(text.as_bytes());
        let hash = u64::from_be_bytes(hash[..8].try_into().unwrap());
        let hash = format!("{hash:016x}");
        assert_eq!((text.len(), hash.as_str()), (length, digest), "{text}");
    }
}
