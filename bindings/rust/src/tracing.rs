//! A layer for `tracing-subscriber`: spans and events of a program that uses `tracing` already.
//!
//! ```
//! use tracing_subscriber::prelude::*;
//! tracing_subscriber::registry().with(sonde::tracing::layer()).init();
//! ```
//!
//! While a span is entered its name is a label: a frame in the stacks of samples. When it is closed it becomes an interval from
//! its creation, with its fields as text, on the track of the thread that closes it. Events become markers with their fields as
//! text, named by their message. The level of both is their subcategory.
//!
//! While nothing is recorded the layer is switched off as a filter of its own, without keeping other layers from anything. So a
//! span that was created before the recording began is not in it.

use crate::api::LABEL_NONE;
use crate::category::Category;
use crate::link::{api, is_recording, now, recording};
use crate::marker::{add_formatted, add_plain};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::fmt::{self, Write};
use std::string::String;
use std::sync::{Mutex, OnceLock};
use std::vec::Vec;
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::subscriber::{Interest, Subscriber};
use tracing_core::{Event, Level, Metadata};
use tracing_subscriber::filter::Filtered;
use tracing_subscriber::layer::{Context, Filter, Layer as TracingLayer};
use tracing_subscriber::registry::LookupSpan;

/// The layer, with the filter that switches it on while something is recorded.
pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>() -> Filtered<Layer, WhileRecording, S> {
    Layer { _private: () }.with_filter(WhileRecording { _private: () })
}

/// See [`layer`].
#[derive(Debug)]
pub struct Layer {
    _private: (),
}

/// Lets everything pass while something is recorded. Asked each time, since a recording can begin at any time.
#[derive(Debug)]
pub struct WhileRecording {
    _private: (),
}

impl<S> Filter<S> for WhileRecording {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        is_recording()
    }

    fn callsite_enabled(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }
}

/// What is kept with a span.
struct Begun {
    start: u64,
    fields: Fields,
}

/// "a=1 b=two", and the message apart.
#[derive(Default)]
struct Fields {
    message: String,
    others: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Into a String: cannot fail, but for a Debug that fails itself, which leaves what it wrote before.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            let space = if self.others.is_empty() { "" } else { " " };
            write!(self.others, "{space}{}={value:?}", field.name())
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            self.record_debug(field, &format_args!("{value}"));
        }
    }
}

/// A label that stands for a span that is entered on this thread.
struct Entered {
    span: Id,
    name: &'static str,
    category: Category,
    depth: u32,
}

thread_local! {
    static ENTERED: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> TracingLayer<S> for Layer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut fields = Fields::default();
            attributes.record(&mut fields);
            span.extensions_mut().insert(Begun { start: now(), fields });
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            if let Some(begun) = span.extensions_mut().get_mut::<Begun>() {
                values.record(&mut begun.fields);
            }
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let (name, category) = (span.name(), category_of(span.metadata().level()));
        let place = 0u8;
        let depth = push(name, std::hint::black_box(&place), category);
        // A thread that is ending has no list any more: its label goes with it.
        let _ = ENTERED.try_with(|entered| {
            if let Ok(mut entered) = entered.try_borrow_mut() {
                entered.push(Entered { span: id.clone(), name, category, depth });
            }
        });
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        let _ = ENTERED.try_with(|entered| {
            if let Ok(mut entered) = entered.try_borrow_mut() {
                exit(&mut entered, id);
            }
        });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let begun = span.extensions_mut().remove::<Begun>();
        if let Some(begun) = begun {
            add(span.name(), category_of(span.metadata().level()), Some(begun.start), &begun.fields.others);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let name = if fields.message.is_empty() { metadata.target() } else { &fields.message };
        add(name, category_of(metadata.level()), None, &fields.others);
    }
}

fn add(name: &str, category: Category, since: Option<u64>, text: &str) {
    if text.is_empty() {
        add_plain(name, category, since);
    } else {
        add_formatted(name, category, since, format_args!("{text}"));
    }
}

/// Pops the label of a span. Spans need not be left in the order that they were entered in: what was entered later is pushed
/// again.
fn exit(entered: &mut Vec<Entered>, id: &Id) {
    let Some(at) = entered.iter().rposition(|entered| entered.span == *id) else { return };
    let left = entered.remove(at);
    pop(left.depth);
    let place = 0u8;
    for later in &mut entered[at..] {
        later.depth = push(later.name, std::hint::black_box(&place), later.category);
    }
}

fn push(name: &'static str, place: &u8, category: Category) -> u32 {
    let Some(api) = api() else { return LABEL_NONE };
    let Some(name) = name_for_c(name) else { return LABEL_NONE };
    // SAFETY: the name ends with NUL and lives for ever.
    unsafe { (api.label_push)(name.as_ptr(), std::ptr::null(), (place as *const u8).cast(), category.0, 0) }
}

fn pop(depth: u32) {
    if depth != LABEL_NONE {
        if let Some(api) = api() {
            // SAFETY: a depth that label_push() gave on this thread.
            unsafe { (api.label_pop)(depth) }
        }
    }
}

/// Names of spans are static, but do not end with NUL: one copy of each, for ever.
fn name_for_c(name: &'static str) -> Option<&'static CString> {
    static NAMES: OnceLock<Mutex<HashMap<&'static str, Option<&'static CString>>>> = OnceLock::new();
    let mut names = NAMES.get_or_init(Default::default).lock().ok()?;
    *names.entry(name).or_insert_with(|| CString::new(name).ok().map(|copy| &*Box::leak(Box::new(copy))))
}

/// Subcategories of "tracing", by level.
fn category_of(level: &Level) -> Category {
    static LEVELS: OnceLock<[Category; 5]> = OnceLock::new();
    // Not before the library is there: without it there are no categories to keep.
    if recording().is_none() {
        return Category::OTHER;
    }
    let levels = LEVELS.get_or_init(|| {
        let tracing = Category::register("tracing", "purple");
        ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"].map(|name| tracing.subcategory(name))
    });
    levels[match *level {
        Level::ERROR => 0,
        Level::WARN => 1,
        Level::INFO => 2,
        Level::DEBUG => 3,
        Level::TRACE => 4,
    }]
}
