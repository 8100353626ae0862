//! Data files, what their names say, and how they form file slices (spec 02 §1).

mod base_file_name;
mod file_slice;
mod log_file_name;
mod view;

pub use base_file_name::{BaseFileExtension, BaseFileName};
pub use file_slice::{BaseFile, FileGroup, FileSlice, LogFile};
pub use log_file_name::{LogFileName, LogFileSuffix};
pub use view::{FileSystemView, ListedFile, ViewInput};
