//! gantrycd-ls shows, while a person edits OpenTofu or Terraform, what gantrycd will make of it:
//! the cloud identity of every resource, and what stands in its way.
//!
//! The modules are layers. Each may use those above it in this list and none below; the test
//! `layers` holds them to it.

pub mod text;

pub mod identity;

pub mod syntax;

pub mod config;

pub mod eval;

pub mod state;

pub mod workspace;

pub mod checks;

pub mod refresh;

pub mod ide;

pub mod output;

pub mod graph;

pub mod server;

pub mod cli;

#[cfg(test)]
mod fixture;
