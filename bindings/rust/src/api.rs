//! What the library offers: types and one table of functions, as `sonde/api.h` declares them. The table only ever grows at its
//! end; `size` says how far it goes.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicI64, AtomicU64};

pub const STATE_ACTIVE: u64 = 1 << 63;
pub const STATE_PAUSED: u64 = 1 << 62;

/// How the value of a field is read: what it is in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum Input {
    Text,
    Signed,
    Unsigned,
    Double,
    Boolean,
    Time,
    Flow,
    NanosecondsAsMilliseconds,
    NanosecondsAsMicroseconds,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub enum Phase {
    Instant,
    Interval,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub enum Capture {
    NoStack,
}

#[repr(C)]
pub struct MarkerOptions {
    pub phase: Phase,
    pub start: u64,
    pub end: u64,
    pub capture: Capture,
    pub backtrace: *const c_void,
    pub thread: c_int,
}

#[repr(C)]
pub struct FieldSchema {
    pub key: *const c_char,
    pub label: *const c_char,
    pub format: *const c_char,
    pub input: Input,
    pub hidden: bool,
    pub offset: usize,
}

#[repr(C)]
pub struct MarkerLook {
    pub description: *const c_char,
    pub chart_label: *const c_char,
    pub tooltip_label: *const c_char,
    pub table_label: *const c_char,
    pub colour_field: *const c_char,
    pub display: *const c_char,
    pub stack_based: bool,
}

#[repr(C)]
pub struct MarkerTypeSchema {
    pub name: *const c_char,
    pub look: MarkerLook,
    pub fields: *const FieldSchema,
    pub field_count: usize,
    pub id: u32,
}

#[repr(C)]
pub struct CounterCell {
    pub count: AtomicI64,
    pub number: AtomicU64,
}

#[repr(C)]
pub struct CounterSchema {
    pub name: *const c_char,
    pub category: *const c_char,
    pub description: *const c_char,
    pub cell: *mut CounterCell,
}

/// A function that this crate does not call.
type Unused = *const c_void;

#[repr(C)]
pub struct Api {
    pub size: usize,
    pub state: *const AtomicU64,
    pub recording: [Unused; 17], // start … buffer_info
    pub set_process_name: unsafe extern "C" fn(*const c_char),
    pub category_register: unsafe extern "C" fn(*const c_char, *const c_char) -> u32,
    pub subcategory_register: unsafe extern "C" fn(u32, *const c_char) -> u32,
    pub thread_register: unsafe extern "C" fn(*const c_char),
    pub thread_unregister: unsafe extern "C" fn(),
    pub thread_rename: unsafe extern "C" fn(*const c_char),
    pub thread: [Unused; 4], // sleep, wake, set_runtime, set_event_delay
    pub label_push: unsafe extern "C" fn(*const c_char, *const c_char, *const c_void, u32, c_uint) -> u32,
    pub label_pop: unsafe extern "C" fn(u32),
    pub now: unsafe extern "C" fn() -> u64,
    pub marker_add: unsafe extern "C" fn(*mut MarkerTypeSchema, *const c_char, usize, u32, *const MarkerOptions, *const c_void),
    pub backtrace: [Unused; 2], // capture, free
    pub flow: unsafe extern "C" fn(usize) -> u64,
    pub text: *mut MarkerTypeSchema,
    pub text_stack: *mut MarkerTypeSchema,
    pub tracing: *mut MarkerTypeSchema,
    pub stack_marker: *mut MarkerTypeSchema,
    pub counter_register: unsafe extern "C" fn(*mut CounterSchema),
    pub bandwidth_add: unsafe extern "C" fn(u64),
}

/// `SONDE_LABEL_NONE`: there is nothing to pop.
pub const LABEL_NONE: u32 = u32::MAX;
