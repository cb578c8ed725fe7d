#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod api;
mod category;
mod counter;
pub mod fields;
mod label;
mod link;
mod macros;
mod marker;
mod text;
mod thread;
#[cfg(feature = "tracing")]
pub mod tracing;

pub use category::Category;
pub use counter::{add_bandwidth, Counter};
pub use fields::{formats, MarkerType};
pub use label::Label;
pub use link::{find, is_recording, now};
pub use marker::{FlowId, Scope};
pub use thread::{rename_thread, set_process_name};

/// What the macros stand for.
#[doc(hidden)]
pub mod __private {
    pub use crate::api::MarkerTypeSchema;
    pub use crate::fields::{Fields, Schema, Values};
    pub use crate::marker::{add_formatted, add_plain, add_typed};
}
