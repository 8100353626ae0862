//! The annotated bytes of spec 02 §5.14.

use oxlake_log::{
    BlockKind, DeleteContent, Header, HeaderKey, delete_content, read_blocks, write_block,
};

use crate::fixtures;

const ROLLBACK: &str = "
    23 48 55 44 49 23  00 00 00 00 00 00 00 5b  00 00 00 01  00 00 00 00
    00 00 00 03
    00 00 00 00 00 00 00 11 3230323530313236303430393336353738
    00 00 00 03 00 00 00 01 30
    00 00 00 01 00 00 00 11 3230323530313236303430383236383738
    00 00 00 00 00 00 00 00   00 00 00 00   00 00 00 00 00 00 00 61";

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

#[test]
fn rollback_block_of_version_6() {
    let bytes = hex(ROLLBACK);
    assert_eq!(bytes.len(), 105);
    let [block] = read_blocks(&bytes).unwrap().try_into().unwrap();
    assert_eq!(block.kind, BlockKind::Command);
    assert_eq!(block.content, 93..93);
    assert_eq!(block.instant_time(), Some("20250126040936578"));
    assert_eq!(block.header.get(HeaderKey::CommandBlockType), Some("0"));
    assert_eq!(
        block.header.get(HeaderKey::TargetInstantTime),
        Some("20250126040826878")
    );
    assert_eq!(
        write_block(BlockKind::Command, &block.header, &[]).unwrap(),
        bytes
    );
}

#[test]
fn delete_content_of_version_9() {
    let bytes = hex("00000003 00000018 02 02 0e 54584e2d303032 02 12 726567696f6e3d7573 04 00 00");
    let content = delete_content(&bytes).unwrap();
    assert_eq!((content.version, content.payload.len()), (3, 24));
    assert_eq!(
        DeleteContent::avro(content.payload).to_bytes().unwrap(),
        bytes
    );
}

#[test]
fn empty_delete_content_of_the_metadata_table() {
    let bytes = hex("00000003 00000001 00");
    assert_eq!(delete_content(&bytes).unwrap().payload, [0]);
}

/// The frame of the v6 example, around a schema and record of the same lengths.
#[test]
fn data_block_has_the_annotated_frame() {
    let header = Header::from([
        (HeaderKey::InstantTime, "20250331030645735".to_owned()),
        (HeaderKey::Schema, "s".repeat(829)),
    ]);
    let content = oxlake_log::avro_content([&[7; 228][..]]).unwrap();
    assert_eq!(content.len(), 240);
    let bytes = write_block(BlockKind::AvroData, &header, &content).unwrap();
    assert_eq!(bytes.len(), 1148);
    assert_eq!(
        bytes[..0x22],
        hex("
        23 48 55 44 49 23  00 00 00 00 00 00 04 6e  00 00 00 01  00 00 00 03
        00 00 00 02  00 00 00 00  00 00 00 11")
    );
    assert_eq!(bytes[0x33..0x3b], hex("00 00 00 02  00 00 03 3d"));
    assert_eq!(
        bytes[0x378..0x38c],
        hex("00 00 00 00 00 00 00 f0 00 00 00 03 00 00 00 01 00 00 00 e4")
    );
    assert_eq!(bytes[0x470..], hex("00 00 00 00  00 00 00 00 00 00 04 74"));
}

/// A data block of version 8 and later carries the instant of its name.
#[test]
fn block_instants_equal_the_names_of_version_9() {
    let mut checked = 0;
    for (path, bytes) in fixtures::files(|path| {
        path.contains(".log.") && !path.contains(".hoodie/") && !path.contains(".crc")
    }) {
        let is_regular = path.starts_with("v9")
            && !path.contains("bucket_consistent")
            && !path.contains("grade");
        let name = path.rsplit('/').next().unwrap();
        let (_, instant) = name
            .split_once(".log.")
            .unwrap()
            .0
            .rsplit_once('_')
            .unwrap();
        for block in read_blocks(&bytes).unwrap().iter().filter(|_| is_regular) {
            assert_eq!(block.instant_time(), Some(instant), "{path}");
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}
