use crate::api::LABEL_NONE;
use crate::category::Category;
use crate::link::api;
use core::ffi::{c_char, c_void};
use core::marker::PhantomData;

/// A frame in every stack of this thread while it lives; made by [`label!`](crate::label!).
///
/// It cannot be sent to another thread, so it cannot be held over an `.await` in a task that may move. A panic that unwinds
/// pops it like a return does.
#[must_use = "a label ends when it is dropped: `let _label = …`"]
pub struct Label {
    depth: u32,
    of_this_thread: PhantomData<*const ()>,
}

impl Label {
    /// # Safety
    ///
    /// `name` ends with NUL and lives for ever. `place` is only compared with the addresses of frames.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn push(name: *const c_char, place: *const c_void, category: Category) -> Label {
        let depth = match api() {
            Some(api) => (api.label_push)(name, core::ptr::null(), place, category.0, 0),
            None => LABEL_NONE,
        };
        Label { depth, of_this_thread: PhantomData }
    }
}

impl Drop for Label {
    #[inline]
    fn drop(&mut self) {
        if self.depth != LABEL_NONE {
            if let Some(api) = api() {
                // SAFETY: on the thread that pushed it; goes back to that depth, so labels jumped over go, too.
                unsafe { (api.label_pop)(self.depth) }
            }
        }
    }
}
