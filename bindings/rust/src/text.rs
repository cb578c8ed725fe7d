//! Texts for C: bytes that end with NUL, on the stack while they are short.

use alloc::vec::Vec;
use core::ffi::c_char;
use core::fmt;
use core::mem::MaybeUninit;

const ROOM: usize = 256;

/// A text that is written to and then read by C. What stands behind a NUL in it is lost.
pub struct Text {
    short: [MaybeUninit<u8>; ROOM],
    length: usize,
    long: Vec<u8>, // all of it, once it is longer than `short`
}

impl Text {
    pub fn new() -> Text {
        Text { short: [MaybeUninit::uninit(); ROOM], length: 0, long: Vec::new() }
    }

    pub fn of(text: &str) -> Text {
        let mut copy = Text::new();
        copy.append(text.as_bytes());
        copy
    }

    pub fn formatted(arguments: fmt::Arguments<'_>) -> Text {
        let mut text = Text::new();
        // A Display that fails leaves what it wrote before.
        let _ = fmt::Write::write_fmt(&mut text, arguments);
        text
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Valid until the text is changed, moved or dropped.
    pub fn as_ptr(&mut self) -> *const c_char {
        if self.long.is_empty() {
            // `append` always leaves room for it.
            self.short[self.length].write(0);
            self.short.as_ptr().cast()
        } else {
            if self.long.len() == self.length {
                self.long.push(0);
            }
            self.long.as_ptr().cast()
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.long.is_empty() && self.length + bytes.len() < ROOM {
            for (to, from) in self.short[self.length..].iter_mut().zip(bytes) {
                to.write(*from);
            }
        } else {
            if self.long.is_empty() {
                // SAFETY: the first `length` bytes are written.
                let short = unsafe { core::slice::from_raw_parts(self.short.as_ptr().cast::<u8>(), self.length) };
                self.long.extend_from_slice(short);
            }
            self.long.truncate(self.length); // without the NUL that as_ptr() may have added
            self.long.extend_from_slice(bytes);
        }
        self.length += bytes.len();
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.append(text.as_bytes());
        Ok(())
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ffi::CStr;
    use core::fmt::Write;

    fn read(text: &mut Text) -> alloc::string::String {
        // SAFETY: ends with NUL, and lives.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap().into()
    }

    #[test]
    fn short_and_long_texts_are_read_as_they_were_written() {
        for length in [0, 1, ROOM - 2, ROOM - 1, ROOM, ROOM + 1, 10 * ROOM] {
            let whole = "x".repeat(length);
            assert_eq!(read(&mut Text::of(&whole)), whole);
        }
    }

    #[test]
    fn a_text_can_be_read_between_writes() {
        let mut text = Text::new();
        let mut whole = alloc::string::String::new();
        for piece in 0..200 {
            write!(text, "{piece} ").unwrap();
            write!(whole, "{piece} ").unwrap();
            assert_eq!(read(&mut text), whole);
        }
    }

    #[test]
    fn a_text_ends_at_its_first_nul() {
        assert_eq!(read(&mut Text::of("before\0after")), "before");
    }
}
