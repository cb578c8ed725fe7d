//! What calls cost, in nanoseconds, the least of five rounds: run it plainly for the cost while nothing is recorded, and under `sonde record`.

use sonde::{label, marker, marker_type, scope};
use std::hint::black_box;
use std::time::Instant;

marker_type! {
    struct Step = "Step" { number: u64 as Hexadecimal }
}

fn measure(name: &str, mut call: impl FnMut(u64)) {
    let rounds = if sonde::is_recording() { 100_000 } else { 20_000_000 };
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            for number in 0..rounds {
                call(black_box(number));
            }
            start.elapsed().as_nanos() as f64 / rounds as f64
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name}\t{best:.2}");
}

fn main() {
    measure("nothing", |_| ());
    measure("marker", |_| marker!("step"));
    measure("marker with a text", |number| marker!("step", "number {number}"));
    measure("marker with a field", |number| marker!("step", Step { number }));
    measure("scope", |_| {
        let _scope = scope!("step");
    });
    measure("label", |_| {
        let _label = label!("step");
    });
}
