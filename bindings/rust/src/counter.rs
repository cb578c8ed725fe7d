use crate::api::{CounterCell, CounterSchema};
use crate::link::api;
use core::cell::UnsafeCell;
use core::ffi::c_char;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// How much of something there is, over time; declared by [`counter!`](crate::counter!). It counts whether or not there is a
/// recording, and each change is also counted as one operation. Where the library is not loaded nothing happens.
pub struct Counter(UnsafeCell<CounterSchema>);

// SAFETY: the library fills in `cell` once and atomically; the cell's numbers are atomic.
unsafe impl Sync for Counter {}

impl Counter {
    /// # Safety
    ///
    /// All three texts end with NUL and live for ever.
    #[doc(hidden)]
    pub const unsafe fn new(name: *const c_char, category: *const c_char, description: *const c_char) -> Counter {
        Counter(UnsafeCell::new(CounterSchema { name, category, description, cell: ptr::null_mut() }))
    }

    #[inline]
    pub fn add(&'static self, amount: i64) {
        if let Some(cell) = self.cell() {
            cell.count.fetch_add(amount, Ordering::Relaxed);
            cell.number.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    pub fn subtract(&'static self, amount: i64) {
        self.add(amount.wrapping_neg());
    }

    #[inline]
    pub fn set(&'static self, value: i64) {
        if let Some(cell) = self.cell() {
            cell.count.store(value, Ordering::Relaxed);
            cell.number.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn cell(&'static self) -> Option<&'static CounterCell> {
        // SAFETY: an aligned pointer, which the library writes atomically; its cell is never freed.
        let cell = unsafe { &*ptr::addr_of_mut!((*self.0.get()).cell).cast::<AtomicPtr<CounterCell>>() };
        if cell.load(Ordering::Acquire).is_null() {
            // SAFETY: a counter that lives for ever, registered any number of times by any thread.
            unsafe { (api()?.counter_register)(self.0.get()) };
        }
        // SAFETY: as above.
        unsafe { cell.load(Ordering::Acquire).as_ref() }
    }
}

/// Bytes sent or received over a network, on the counter that profilers show as bandwidth.
pub fn add_bandwidth(bytes: u64) {
    if let Some(api) = crate::link::recording() {
        // SAFETY: may be called from any thread.
        unsafe { (api.bandwidth_add)(bytes) }
    }
}
