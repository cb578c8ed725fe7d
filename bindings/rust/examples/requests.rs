//! A program that says what it does: a label, intervals, markers with fields, a counter.
//!
//!     cargo build --release --example requests
//!     sonde record target/release/examples/requests
//!     sonde markers profile.json.gz --list

use sonde::{counter, label, marker, marker_type, scope, Category};
use std::hint::black_box;
use std::panic::catch_unwind;

counter! {
    static QUEUE_LENGTH = "Queue length", "Queue", "Requests that wait";
}

marker_type! {
    /// One answered request.
    struct HttpRequest<'a> = "HTTP request", table_label: "{marker.data.status} {marker.data.url}" {
        url: &'a str as Url,
        status: u16 as Integer,
        size: usize as Bytes = "Size",
    }
}

#[inline(never)]
fn compute(rounds: u32) {
    let mut value = 1u32;
    for _ in 0..rounds * 1000 {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    black_box(value);
}

fn load_configuration() {
    let _label = label!("start-up");
    let _scope = scope!("load", "config.{}", "toml");
    compute(20_000);
}

fn answer(number: usize, cache: Category) {
    let start = sonde::now();
    let url = format!("https://example.org/item/{number}");
    {
        let _label = label!("answer", category: Category::NETWORK);
        if number % 4 == 0 {
            marker!(category: cache, "cache miss", "item {number}");
            compute(15_000);
        }
        compute(5_000);
    }
    let status = if number % 7 == 0 { 404 } else { 200 };
    marker!(category: Category::NETWORK, since: start, "GET", HttpRequest { url: &url, status, size: number * 100 });
}

fn main() {
    let requests = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(40);
    let cache = Category::register("Cache", "orange");
    load_configuration();
    for number in (1..=requests).rev() {
        QUEUE_LENGTH.set(number as i64);
        answer(number, cache);
    }
    QUEUE_LENGTH.set(0);
    let thread = std::thread::spawn(|| {
        sonde::rename_thread("cleaner");
        marker!("cleaned");
    });
    thread.join().unwrap();
    // A panic that unwinds ends what it leaves.
    std::panic::set_hook(Box::new(|_| ()));
    let _ = catch_unwind(|| {
        let _label = label!("doomed label");
        let _scope = scope!("doomed");
        compute(20_000);
        panic!();
    });
    let _scope = scope!(category: Category::IO, "after the panic");
    compute(20_000);
    marker!("settled"); // samples of before are behind it
    compute(20_000);
}
