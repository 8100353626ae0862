//! Every log file of the golden tables.

use std::collections::BTreeMap;
use std::ops::Range;

use oxlake_avro::{Schema, decode};
use oxlake_log::{
    Block, BlockDecoder, BlockKind, DeleteContent, Progress, avro_content, avro_records,
    delete_content, read_blocks, write_block,
};

use crate::fixtures;

/// Log files by their name, archives of version 6 among them.
pub(crate) fn is_log_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap();
    name.starts_with('.')
        && !name.contains(".crc")
        && (name.contains(".log.") || name.contains(".archive."))
}

#[test]
fn every_log_file_is_read_and_written_again_byte_for_byte() {
    let mut kinds: BTreeMap<BlockKind, usize> = BTreeMap::new();
    let mut files = 0;
    for (path, bytes) in fixtures::files(is_log_file) {
        let blocks = read_blocks(&bytes).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut written = Vec::new();
        for block in &blocks {
            let content = block.content_in(&bytes).unwrap();
            written.extend(write_block(block.kind, &block.header, content).unwrap());
            *kinds.entry(block.kind).or_default() += 1;
        }
        assert!(written == bytes, "{path}");
        files += 1;
    }
    assert!(files > 1500, "{files} log files");
    for kind in [
        BlockKind::Command,
        BlockKind::Delete,
        BlockKind::AvroData,
        BlockKind::HfileData,
        BlockKind::ParquetData,
        BlockKind::CdcData,
    ] {
        assert!(kinds[&kind] > 0, "{kind:?} of {kinds:?}");
    }
    assert!(!kinds.contains_key(&BlockKind::Corrupt), "{kinds:?}");
}

#[test]
fn every_record_decodes_with_the_schema_of_its_block() {
    let mut records = 0;
    for (path, bytes) in fixtures::files(is_log_file) {
        for block in read_blocks(&bytes).unwrap() {
            let content = block.content_in(&bytes).unwrap();
            match block.kind {
                BlockKind::AvroData | BlockKind::CdcData => {
                    let schema = Schema::parse(block.schema().unwrap()).unwrap();
                    for record in avro_records(content).unwrap() {
                        let (value, used) = decode(&schema, record).unwrap();
                        assert_eq!(used, record.len(), "{path}");
                        let again = oxlake_avro::encode(&schema, &value).unwrap();
                        assert_eq!(again.len(), record.len(), "{path}");
                        records += 1;
                    }
                    let again = avro_content(avro_records(content).unwrap()).unwrap();
                    assert_eq!(again, content, "{path}");
                }
                BlockKind::Delete => {
                    let delete = delete_content(content).unwrap();
                    assert_eq!(delete, DeleteContent::avro(delete.payload), "{path}");
                    assert_eq!(delete.to_bytes().unwrap(), content, "{path}");
                }
                BlockKind::Command => assert!(content.is_empty(), "{path}"),
                BlockKind::ParquetData => {
                    assert!(
                        content.starts_with(b"PAR1") && content.ends_with(b"PAR1"),
                        "{path}"
                    );
                }
                BlockKind::HfileData => assert!(content.starts_with(b"DATABLK*"), "{path}"),
                BlockKind::Corrupt => unreachable!(),
            }
        }
    }
    assert!(records > 500, "{records} records");
}

/// With small pieces the same blocks are found, and contents are not asked for.
#[test]
fn pieces_give_the_blocks_of_the_whole_file() {
    for (path, bytes) in fixtures::files(is_log_file) {
        let (blocks, asked) = in_pieces(&bytes);
        assert_eq!(blocks, read_blocks(&bytes).unwrap(), "{path}");
        let bound = blocks.len() * 28_000;
        assert!(asked <= bound, "{path}: {asked} of {} bytes", bytes.len());
    }
}

pub(crate) fn in_pieces(bytes: &[u8]) -> (Vec<Block>, usize) {
    let mut decoder = BlockDecoder::new(bytes.len());
    let mut piece: Range<usize> = 0..0;
    let mut blocks = Vec::new();
    let mut asked = 0;
    loop {
        match decoder.advance(piece.start, &bytes[piece.clone()]).unwrap() {
            Progress::Block(block) => blocks.push(block),
            Progress::Wants(range) => {
                asked += range.len();
                piece = range;
            }
            Progress::End => return (blocks, asked),
        }
    }
}
