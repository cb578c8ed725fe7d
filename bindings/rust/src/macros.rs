/// A marker: a moment, or with `since` an interval that began then.
///
/// ```
/// let start = sonde::now();
/// sonde::marker!("cache miss");
/// sonde::marker!("cache miss", "key {}", 42); // a text, formatted only if it is recorded
/// sonde::marker!(category: sonde::Category::NETWORK, since: start, "GET", "https://example.org");
/// ```
///
/// With a struct of [`marker_type!`](crate::marker_type!) instead of a text, its fields go with the marker.
#[macro_export]
macro_rules! marker {
    (category: $category:expr, since: $since:expr, $($rest:tt)+) => {
        $crate::__marker!($category, ::core::option::Option::Some($since), $($rest)+)
    };
    (category: $category:expr, $($rest:tt)+) => {
        $crate::__marker!($category, ::core::option::Option::None, $($rest)+)
    };
    (since: $since:expr, $($rest:tt)+) => {
        $crate::__marker!($crate::Category::OTHER, ::core::option::Option::Some($since), $($rest)+)
    };
    ($($rest:tt)+) => {
        $crate::__marker!($crate::Category::OTHER, ::core::option::Option::None, $($rest)+)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __marker {
    ($category:expr, $since:expr, $name:expr $(,)?) => {
        if $crate::is_recording() {
            $crate::__private::add_plain($name, $category, $since);
        }
    };
    ($category:expr, $since:expr, $name:expr, $format:literal $($arguments:tt)*) => {
        if $crate::is_recording() {
            $crate::__private::add_formatted($name, $category, $since, ::core::format_args!($format $($arguments)*));
        }
    };
    ($category:expr, $since:expr, $name:expr, $typed:expr $(,)?) => {
        if $crate::is_recording() {
            $crate::__private::add_typed($name, $category, $since, &$typed);
        }
    };
}

/// An interval until the value is dropped, with a text if one is given, which is formatted only if it is recorded.
///
/// ```
/// let path = "config.toml";
/// let _scope = sonde::scope!("load", "{path}");
/// let parsing = sonde::scope!(category: sonde::Category::IO, "parse");
/// parsing.end();
/// ```
#[macro_export]
macro_rules! scope {
    (category: $category:expr, $name:expr $(,)?) => {
        $crate::__scope!($category, $name, ::core::option::Option::None)
    };
    (category: $category:expr, $name:expr, $($text:tt)+) => {
        $crate::__scope!($category, $name, ::core::option::Option::Some(::core::format_args!($($text)+)))
    };
    ($name:expr $(,)?) => {
        $crate::__scope!($crate::Category::OTHER, $name, ::core::option::Option::None)
    };
    ($name:expr, $($text:tt)+) => {
        $crate::__scope!($crate::Category::OTHER, $name, ::core::option::Option::Some(::core::format_args!($($text)+)))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __scope {
    ($category:expr, $name:expr, $text:expr) => {
        if $crate::is_recording() {
            $crate::Scope::begin($name, $category, $text)
        } else {
            $crate::Scope::none()
        }
    };
}

/// A frame in every stack of this thread until the value is dropped. It costs a few nanoseconds, recording or not, so that one
/// which began before a recording is in it.
///
/// ```
/// let _label = sonde::label!("start-up");
/// let _inner = sonde::label!("read", category: sonde::Category::IO);
/// ```
#[macro_export]
macro_rules! label {
    ($name:literal) => {
        $crate::label!($name, category: $crate::Category::OTHER)
    };
    ($name:literal, category: $category:expr) => {{
        // Its address places the label among the frames of the function that it is in.
        let place = 0u8;
        // SAFETY: a literal, and NUL behind it.
        unsafe {
            $crate::Label::push(
                ::core::concat!($name, "\0").as_ptr().cast(),
                ::core::hint::black_box(&place as *const u8).cast(),
                $category,
            )
        }
    }};
}

/// Declares counters: a name, a category that groups them, a description.
///
/// ```
/// sonde::counter! {
///     /// Requests that wait.
///     static QUEUE_LENGTH = "Queue length", "Queue", "Requests that wait";
/// }
/// QUEUE_LENGTH.add(1);
/// QUEUE_LENGTH.set(0);
/// ```
#[macro_export]
macro_rules! counter {
    ($($(#[$about:meta])* $visible:vis static $counter:ident = $name:literal, $category:literal, $description:literal;)+) => {
        $($(#[$about])*
        // SAFETY: literals, and NUL behind each.
        $visible static $counter: $crate::Counter = unsafe {
            $crate::Counter::new(
                ::core::concat!($name, "\0").as_ptr().cast(),
                ::core::concat!($category, "\0").as_ptr().cast(),
                ::core::concat!($description, "\0").as_ptr().cast(),
            )
        };)+
    };
}

/// Declares a type of markers with fields, as a struct. Each field has its Rust type and, behind `as`, one of
/// [`formats`](crate::formats), which says how it is shown; then a label, if its name is not to be shown. The name of the type is
/// what profilers show, unique in the program; labels may hold `{marker.name}`, `{marker.data.url}` and so on.
///
/// ```
/// sonde::marker_type! {
///     /// One answered request.
///     pub struct HttpRequest<'a> = "HTTP request", table_label: "{marker.data.status} {marker.data.url}" {
///         pub url: &'a str as Url,
///         pub status: u16 as Integer,
///         pub size: usize as Bytes = "Size",
///     }
/// }
/// let start = sonde::now();
/// sonde::marker!(since: start, "GET", HttpRequest { url: "https://example.org", status: 200, size: 1234 });
/// ```
///
/// A type that does not fit its format is an error of the compiler:
///
/// ```compile_fail
/// sonde::marker_type! { struct Wrong = "Wrong" { size: f64 as Bytes } }
/// ```
#[macro_export]
macro_rules! marker_type {
    (
        $(#[$about:meta])*
        $visible:vis struct $type:ident $(<$life:lifetime>)? = $name:literal
        $(, table_label: $table_label:literal)? $(, chart_label: $chart_label:literal)?
        { $($(#[$field_about:meta])* $field_visible:vis $field:ident: $value:ty as $format:ident $(= $label:literal)?),+ $(,)? }
    ) => {
        $(#[$about])*
        $visible struct $type $(<$life>)? {
            $($(#[$field_about])* $field_visible $field: $value),+
        }

        impl $(<$life>)? $crate::MarkerType for $type $(<$life>)? {
            fn schema() -> *mut $crate::__private::MarkerTypeSchema {
                use $crate::{formats, fields::Format};
                static FIELDS: $crate::__private::Fields<{ [$(::core::stringify!($field)),+].len() }> =
                    $crate::__private::Fields::new([$((
                        ::core::concat!(::core::stringify!($field), "\0"),
                        ::core::concat!($($label,)? "\0"),
                        <formats::$format as Format>::NAME,
                        <formats::$format as Format>::INPUT,
                    )),+]);
                static SCHEMA: $crate::__private::Schema = $crate::__private::Schema::new(
                    ::core::concat!($name, "\0"),
                    ::core::concat!($($table_label,)? "\0"),
                    ::core::concat!($($chart_label,)? "\0"),
                    &FIELDS,
                );
                SCHEMA.as_ptr()
            }

            fn store(&self, values: &mut $crate::__private::Values) {
                $(values.put($crate::formats::$format, &self.$field);)+
            }
        }
    };
}
