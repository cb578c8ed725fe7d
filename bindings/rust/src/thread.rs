use crate::link::api;
use crate::text::Text;

/// As what the calling thread appears in profiles. Threads register themselves under `sonde record`.
pub fn rename_thread(name: &str) {
    if let Some(api) = api() {
        // SAFETY: ends with NUL, and is copied.
        unsafe { (api.thread_rename)(Text::of(name).as_ptr()) }
    }
}

/// As what the process appears in profiles.
pub fn set_process_name(name: &str) {
    if let Some(api) = api() {
        // SAFETY: as above.
        unsafe { (api.set_process_name)(Text::of(name).as_ptr()) }
    }
}
