//! Finds the library's table, without being linked with it: once, before `main`. Where there is none, `STATE` leads to a word
//! that says "not recording", and that is all that markers look at.

use crate::api::{Api, STATE_ACTIVE, STATE_PAUSED};
use core::ffi::{c_char, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

static OFF: AtomicU64 = AtomicU64::new(0);
static STATE: AtomicPtr<AtomicU64> = AtomicPtr::new(&OFF as *const AtomicU64 as *mut AtomicU64);
static API: AtomicPtr<Api> = AtomicPtr::new(ptr::null_mut());

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *mut c_char;
}

#[used]
#[cfg_attr(target_os = "linux", link_section = ".init_array.00101")]
static FIND_EARLY: extern "C" fn() = {
    extern "C" fn find_early() {
        find();
    }
    find_early
};

/// Looks for the library again, for programs that load it themselves (`dlopen` with `RTLD_GLOBAL`). True when it is there.
pub fn find() -> bool {
    // SAFETY: a NULL handle is RTLD_DEFAULT; the name ends with NUL.
    let found = unsafe { dlsym(ptr::null_mut(), b"sonde_api_1\0".as_ptr().cast()) } as *mut Api;
    if found.is_null() {
        // That it is not there is no error for the program to find.
        // SAFETY: takes what dlsym left for this thread.
        unsafe { dlerror() };
        return false;
    }
    // SAFETY: by this name the library exports a table that is never freed; its first member says how large it is.
    unsafe {
        if (*found).size < core::mem::size_of::<Api>() {
            return false; // older than this crate
        }
        API.store(found, Ordering::Relaxed);
        STATE.store((*found).state as *mut AtomicU64, Ordering::Release);
    }
    true
}

/// `None` where the library is not loaded.
#[inline]
pub fn api() -> Option<&'static Api> {
    // SAFETY: NULL, or a table that is never freed.
    unsafe { API.load(Ordering::Acquire).as_ref() }
}

/// Whether markers are being recorded, for work that is done only for them.
#[inline]
pub fn is_recording() -> bool {
    // SAFETY: leads to OFF or to the library's word, neither of which goes away.
    let state = unsafe { &*STATE.load(Ordering::Acquire) }.load(Ordering::Relaxed);
    state & (STATE_ACTIVE | STATE_PAUSED) == STATE_ACTIVE
}

/// The table while something is recorded.
#[inline]
pub(crate) fn recording() -> Option<&'static Api> {
    if is_recording() {
        api()
    } else {
        None
    }
}

/// Nanoseconds since the start of the process, the clock of markers; 0 where the library is not loaded.
#[inline]
pub fn now() -> u64 {
    // SAFETY: may be called from any thread at any time.
    api().map_or(0, |api| unsafe { (api.now)() })
}
