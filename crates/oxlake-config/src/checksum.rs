//! The checksum of `hoodie.properties` (spec 01 §2.2).

/// CRC-32 of `database.table`; the dot stays when the database is empty.
///
/// It guards against files that were cut short, not against changed values.
pub fn table_checksum(database: &str, table: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in [database, ".", table] {
        hasher.update(part.as_bytes());
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_real_tables() {
        for (database, table, checksum) in [
            ("default", "v9_txns_cow_simple_meta", 2_985_977_913),
            ("", "v9_txns_cow_simple_meta_metadata", 1_362_276_322),
            ("default", "v6_empty", 1_980_710_965),
            ("", "t1", 3_609_136_688),
            ("db1", "t1", 2_711_388_196),
        ] {
            assert_eq!(
                table_checksum(database, table),
                checksum,
                "{database}.{table}"
            );
        }
    }
}
