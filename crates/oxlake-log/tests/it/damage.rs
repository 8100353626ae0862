//! Damaged files give corrupt blocks or typed errors, never a panic.

use oxlake_log::{
    BlockKind, Error, Header, HeaderKey, avro_records, delete_content, read_blocks, write_block,
};

use crate::fixtures;
use crate::golden::{in_pieces, is_log_file};

fn header(instant: &str) -> Header {
    Header::from([(HeaderKey::InstantTime, instant.to_owned())])
}

fn block(content: &[u8]) -> Vec<u8> {
    write_block(BlockKind::Delete, &header("20250101000000000"), content).unwrap()
}

fn kinds(file: &[u8]) -> Vec<BlockKind> {
    let blocks = read_blocks(file).unwrap();
    assert_eq!(in_pieces(file).0, blocks);
    blocks.iter().map(|block| block.kind).collect()
}

#[test]
fn reading_goes_on_behind_a_truncated_block() {
    let whole = block(b"0123456789");
    for cut in 14..whole.len() {
        let file = [&whole[..cut], &whole].concat();
        assert_eq!(
            kinds(&file),
            [BlockKind::Corrupt, BlockKind::Delete],
            "cut at {cut}"
        );
        let blocks = read_blocks(&file).unwrap();
        assert_eq!(blocks[0].content, 14..cut);
        assert_eq!(blocks[1].offset, cut);
    }
}

#[test]
fn a_truncated_last_block_is_corrupt_and_a_short_rest_is_ignored() {
    let whole = block(b"0123456789");
    for cut in 0..whole.len() {
        let expected: &[BlockKind] = match cut {
            0..6 => &[BlockKind::Delete],
            _ => &[BlockKind::Delete, BlockKind::Corrupt],
        };
        assert_eq!(
            kinds(&[&whole, &whole[..cut]].concat()),
            expected,
            "cut at {cut}"
        );
    }
}

#[test]
fn a_wrong_size_is_corrupt() {
    let whole = block(b"0123456789");
    for size in [i64::MIN, -1, 0, 7, 8, 1000, i64::MAX] {
        let mut damaged = whole.clone();
        damaged[6..14].copy_from_slice(&size.to_be_bytes());
        damaged.extend_from_slice(&whole);
        assert_eq!(
            kinds(&damaged),
            [BlockKind::Corrupt, BlockKind::Delete],
            "{size}"
        );
    }
}

#[test]
fn large_damage_is_scanned_in_windows() {
    let whole = block(b"0123456789");
    for padding in [(1 << 20) - 8, (1 << 20) - 3, 1 << 20, 3 << 20] {
        let mut file = whole.clone();
        file.truncate(20);
        file.resize(20 + padding, b'#');
        file.extend_from_slice(&whole);
        assert_eq!(
            kinds(&file),
            [BlockKind::Corrupt, BlockKind::Delete],
            "{padding}"
        );
    }
}

#[test]
fn what_is_no_log_file_is_an_error() {
    assert_eq!(read_blocks(b"PAR1PAR1"), Err(Error::NoMagic { offset: 0 }));
    assert_eq!(read_blocks(b""), Ok(vec![]));
    let mut file = block(b"");
    file[17] = 0;
    let error = read_blocks(&file).unwrap_err();
    assert!(error.is_unsupported(), "{error}");
    let mut file = block(b"");
    file[21] = 7;
    assert_eq!(
        read_blocks(&file),
        Err(Error::UnknownKind { offset: 0, code: 7 })
    );
    let mut file = block(b"");
    let footer = file.len() - 12;
    file[footer + 3] = 50;
    let error = read_blocks(&file).unwrap_err();
    assert!(
        matches!(error, Error::Corrupt { offset, .. } if offset == footer),
        "{error}"
    );
    let mut file = block(b"");
    file[29] = 9;
    assert_eq!(
        read_blocks(&file),
        Err(Error::UnknownHeaderKey { offset: 0, code: 9 })
    );
}

#[test]
fn flipped_and_truncated_files_never_panic() {
    let mut files: Vec<_> = fixtures::files(is_log_file).collect();
    files.sort_by_key(|(_, bytes)| bytes.len());
    for (_, bytes) in files.iter().step_by(97) {
        let step = 1 + bytes.len() / 4000;
        for position in (0..bytes.len()).step_by(step) {
            read(&bytes[..position]);
            let mut damaged = bytes.clone();
            damaged[position] ^= [0xff, 0x01, 0x80][position % 3];
            read(&damaged);
        }
    }
}

fn read(file: &[u8]) {
    for block in read_blocks(file).unwrap_or_default() {
        let content = block.content_in(file).unwrap();
        let _ = avro_records(content).map(Iterator::count);
        let _ = delete_content(content);
    }
}
