//! Read, merge and write the files of a file group.
