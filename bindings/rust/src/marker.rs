use crate::api::{Api, Capture, MarkerOptions, MarkerTypeSchema, Phase};
use crate::category::Category;
use crate::fields::{MarkerType, Values};
use crate::link::{now, recording};
use crate::text::Text;
use core::ffi::c_void;
use core::fmt;
use core::ptr;

fn add(api: &Api, schema: *mut MarkerTypeSchema, name: &str, category: Category, since: Option<u64>, values: *const c_void) {
    let options = MarkerOptions {
        phase: if since.is_some() { Phase::Interval } else { Phase::Instant },
        start: since.unwrap_or(0),
        end: 0,
        capture: Capture::NoStack,
        backtrace: ptr::null(),
        thread: 0,
    };
    // SAFETY: the name is copied by its length; `values` are as `schema` says; all live through the call.
    unsafe { (api.marker_add)(schema, name.as_ptr().cast(), name.len(), category.0, &options, values) }
}

fn add_text(api: &Api, schema: *mut MarkerTypeSchema, name: &str, category: Category, since: Option<u64>, text: &mut Text) {
    let value = text.as_ptr();
    add(api, schema, name, category, since, ptr::addr_of!(value).cast());
}

#[doc(hidden)]
#[cold]
pub fn add_plain(name: &str, category: Category, since: Option<u64>) {
    if let Some(api) = recording() {
        add(api, ptr::null_mut(), name, category, since, ptr::null());
    }
}

#[doc(hidden)]
#[cold]
pub fn add_formatted(name: &str, category: Category, since: Option<u64>, arguments: fmt::Arguments<'_>) {
    if let Some(api) = recording() {
        add_text(api, api.text, name, category, since, &mut Text::formatted(arguments));
    }
}

#[doc(hidden)]
#[cold]
pub fn add_typed<M: MarkerType>(name: &str, category: Category, since: Option<u64>, marker: &M) {
    if let Some(api) = recording() {
        let mut values = Values::new();
        marker.store(&mut values);
        add(api, M::schema(), name, category, since, values.as_ptr());
    }
}

/// An interval until it is dropped, made by [`scope!`](crate::scope!). A panic that unwinds ends it like a return does.
///
/// It is written when it ends: one that goes on when the recording ends is missing.
#[must_use = "an interval ends when it is dropped: `let _scope = …`"]
pub struct Scope<'a>(Option<Begun<'a>>);

struct Begun<'a> {
    name: &'a str,
    category: Category,
    start: u64,
    text: Text,
}

impl<'a> Scope<'a> {
    #[doc(hidden)]
    #[cold]
    pub fn begin(name: &'a str, category: Category, text: Option<fmt::Arguments<'_>>) -> Scope<'a> {
        let start = now();
        Scope(Some(Begun { name, category, start, text: text.map_or_else(Text::new, Text::formatted) }))
    }

    /// Of nothing, where nothing is recorded.
    #[doc(hidden)]
    #[inline]
    pub const fn none() -> Scope<'a> {
        Scope(None)
    }

    /// Ends it here.
    pub fn end(self) {}
}

impl Begun<'_> {
    #[cold]
    fn end(&mut self) {
        if let Some(api) = recording() {
            if self.text.is_empty() {
                let no_text: *const c_void = ptr::null();
                add(api, api.stack_marker, self.name, self.category, Some(self.start), ptr::addr_of!(no_text).cast());
            } else {
                add_text(api, api.text_stack, self.name, self.category, Some(self.start), &mut self.text);
            }
        }
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(begun) = &mut self.0 {
            begun.end();
        }
    }
}

/// A number that joins markers of any thread: those about the same object have the same one. For fields of the kinds
/// [`Flow`](crate::formats::Flow) and [`TerminatingFlow`](crate::formats::TerminatingFlow).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowId(pub(crate) u64);

impl FlowId {
    /// By the object's address, so it is the same as long as the object stays where it is.
    pub fn of<T: ?Sized>(object: &T) -> FlowId {
        // SAFETY: the address is only made a number.
        recording().map_or(FlowId(0), |api| FlowId(unsafe { (api.flow)(object as *const T as *const u8 as usize) }))
    }
}
