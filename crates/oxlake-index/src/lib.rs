//! Tag records with the file group that holds them.
