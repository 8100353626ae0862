#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| oxlake_fuzz::properties(data));
