//! Marker types with fields: what [`marker_type!`](crate::marker_type!) makes, and the formats of its fields.

use crate::api::{FieldSchema, Input, MarkerLook, MarkerTypeSchema};
use crate::marker::FlowId;
use crate::text::Text;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_void};
use core::mem::size_of;
use core::ptr;
use core::time::Duration;

/// What [`marker_type!`](crate::marker_type!) implements for the struct that it declares.
pub trait MarkerType {
    #[doc(hidden)]
    fn schema() -> *mut MarkerTypeSchema;
    #[doc(hidden)]
    fn store(&self, values: &mut Values);
}

/// One value as the library reads it; all begin at the start of their slot.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Slot {
    text: *const c_char,
    signed: i64,
    unsigned: u64,
    double: f64,
    boolean: bool,
}

/// Boxed, because slots point into them.
#[allow(clippy::vec_box)]
type Texts = Vec<Box<Text>>;

/// The values of a marker's fields, in the order of its schema.
#[doc(hidden)]
pub struct Values {
    slots: [Slot; FIELDS_MAX],
    count: usize,
    texts: Texts,
}

pub const FIELDS_MAX: usize = 32;

impl Values {
    pub(crate) fn new() -> Values {
        Values { slots: [Slot { unsigned: 0 }; FIELDS_MAX], count: 0, texts: Vec::new() }
    }

    pub(crate) fn as_ptr(&self) -> *const c_void {
        self.slots.as_ptr().cast()
    }

    pub fn put<F: Format, V: Value<F::Kind>>(&mut self, _format: F, value: &V) {
        let slot = value.slot(&mut self.texts);
        self.slots[self.count] = slot;
        self.count += 1;
    }
}

/// How a field is shown, and by its kind which Rust types it takes.
pub trait Format {
    type Kind;
    #[doc(hidden)]
    const NAME: &'static str; // ends with NUL
    #[doc(hidden)]
    const INPUT: Input;
}

/// A Rust type that can be given for a field of a kind.
pub trait Value<Kind> {
    #[doc(hidden)]
    fn slot(&self, texts: &mut Texts) -> Slot;
}

/// The kinds of values.
pub mod kinds {
    pub enum Text {}
    pub enum Signed {}
    pub enum Unsigned {}
    pub enum Double {}
    pub enum Time {}
    pub enum Nanoseconds {}
    pub enum Flow {}
}

impl Value<kinds::Text> for &str {
    fn slot(&self, texts: &mut Texts) -> Slot {
        texts.push(Box::new(Text::of(self)));
        let last = texts.len() - 1;
        Slot { text: texts[last].as_ptr() }
    }
}

impl Value<kinds::Text> for String {
    fn slot(&self, texts: &mut Texts) -> Slot {
        self.as_str().slot(texts)
    }
}

impl Value<kinds::Nanoseconds> for Duration {
    fn slot(&self, _: &mut Texts) -> Slot {
        Slot { unsigned: u64::try_from(self.as_nanos()).unwrap_or(u64::MAX) }
    }
}

impl Value<kinds::Flow> for FlowId {
    fn slot(&self, _: &mut Texts) -> Slot {
        Slot { unsigned: self.0 }
    }
}

macro_rules! numbers {
    ($kind:ident in $member:ident as $stored:ty: $($type:ty),+) => {
        $(impl Value<kinds::$kind> for $type {
            fn slot(&self, _: &mut Texts) -> Slot {
                Slot { $member: *self as $stored }
            }
        })+
    };
}
numbers!(Signed in signed as i64: i8, i16, i32, i64, isize, u8, u16, u32);
numbers!(Unsigned in unsigned as u64: u8, u16, u32, u64, usize);
numbers!(Double in double as f64: f32, f64);
numbers!(Time in unsigned as u64: u64);
numbers!(Nanoseconds in unsigned as u64: u64);

/// The formats of fields, as [`marker_type!`](crate::marker_type!) names them.
pub mod formats {
    use super::{kinds, Format, Input};

    macro_rules! formats {
        ($($(#[$about:meta])* $format:ident = $name:literal, $kind:ident, $input:ident;)+) => {
            $($(#[$about])*
            pub struct $format;
            impl Format for $format {
                type Kind = kinds::$kind;
                const NAME: &'static str = concat!($name, "\0");
                const INPUT: Input = Input::$input;
            })+
        };
    }

    formats! {
        /// Removed where a profile is made public, like `FilePath` and `Sanitized`.
        Url = "url", Text, Text;
        FilePath = "file-path", Text, Text;
        Sanitized = "sanitized-string", Text, Text;
        String = "string", Text, Text;
        UniqueString = "unique-string", Text, Text;
        /// A [`now`](crate::now).
        Time = "time", Time, Time;
        /// A `Duration`, or nanoseconds; so are the next three.
        Duration = "duration", Nanoseconds, NanosecondsAsMilliseconds;
        Seconds = "seconds", Nanoseconds, NanosecondsAsMilliseconds;
        Milliseconds = "milliseconds", Nanoseconds, NanosecondsAsMilliseconds;
        Microseconds = "microseconds", Nanoseconds, NanosecondsAsMicroseconds;
        Nanoseconds = "nanoseconds", Nanoseconds, Unsigned;
        Bytes = "bytes", Unsigned, Unsigned;
        /// 0 … 1.
        Percentage = "percentage", Double, Double;
        Integer = "integer", Signed, Signed;
        Decimal = "decimal", Double, Double;
        Hexadecimal = "hexadecimal", Unsigned, Unsigned;
        /// A [`FlowId`](crate::FlowId).
        Flow = "flow-id", Flow, Flow;
        /// The last marker of a flow.
        TerminatingFlow = "terminating-flow-id", Flow, Flow;
    }
}

/// The fields of a marker type, which its schema points to.
#[doc(hidden)]
pub struct Fields<const COUNT: usize>([FieldSchema; COUNT]);

// SAFETY: only read, and its texts live for ever.
unsafe impl<const COUNT: usize> Sync for Fields<COUNT> {}

impl<const COUNT: usize> Fields<COUNT> {
    /// Each field: key and label (which end with NUL; the label may be empty), the name of its format, its input.
    pub const fn new(given: [(&'static str, &'static str, &'static str, Input); COUNT]) -> Fields<COUNT> {
        assert!(COUNT <= FIELDS_MAX, "a marker type has at most 32 fields");
        const EMPTY: FieldSchema = FieldSchema {
            key: ptr::null(),
            label: ptr::null(),
            format: ptr::null(),
            input: Input::Text,
            hidden: false,
            offset: 0,
        };
        let mut fields = [EMPTY; COUNT];
        let mut i = 0;
        while i < COUNT {
            let (key, label, format, input) = given[i];
            fields[i].key = key.as_ptr().cast();
            fields[i].label = text_or_null(label);
            fields[i].format = format.as_ptr().cast();
            fields[i].input = input;
            fields[i].offset = i * size_of::<Slot>();
            i += 1;
        }
        Fields(fields)
    }
}

/// A marker type, which the library numbers.
#[doc(hidden)]
pub struct Schema(UnsafeCell<MarkerTypeSchema>);

// SAFETY: the library alone writes to it, atomically.
unsafe impl Sync for Schema {}

impl Schema {
    /// All texts end with NUL; of `table_label` and `chart_label` an empty one means: as usual.
    pub const fn new<const COUNT: usize>(
        name: &'static str,
        table_label: &'static str,
        chart_label: &'static str,
        fields: &'static Fields<COUNT>,
    ) -> Schema {
        Schema(UnsafeCell::new(MarkerTypeSchema {
            name: name.as_ptr().cast(),
            look: MarkerLook {
                description: ptr::null(),
                chart_label: text_or_null(chart_label),
                tooltip_label: ptr::null(),
                table_label: text_or_null(table_label),
                colour_field: ptr::null(),
                display: ptr::null(),
                stack_based: false,
            },
            fields: fields.0.as_ptr(),
            field_count: COUNT,
            id: 0,
        }))
    }

    pub fn as_ptr(&'static self) -> *mut MarkerTypeSchema {
        self.0.get()
    }
}

const fn text_or_null(text: &'static str) -> *const c_char {
    if text.len() <= 1 {
        ptr::null()
    } else {
        text.as_ptr().cast()
    }
}
