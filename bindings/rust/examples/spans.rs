//! A program that uses `tracing`, with Sonde's layer.
//!
//!     cargo build --release --features tracing --example spans
//!     sonde record target/release/examples/spans

use std::hint::black_box;
use tracing::{debug_span, info, info_span, warn};
use tracing_subscriber::prelude::*;

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

fn main() {
    tracing_subscriber::registry().with(sonde::tracing::layer()).init();
    for number in 0..20 {
        let request = info_span!("request", number, path = "/item", status = tracing::field::Empty);
        let _entered = request.enter();
        compute(5_000);
        if number % 5 == 0 {
            warn!(retries = 3, "slow answer");
        }
        debug_span!("render").in_scope(|| compute(10_000));
        request.record("status", 200);
    }
    // Left in another order than entered.
    let (outer, inner) = (info_span!("outer"), info_span!("inner"));
    let outer = outer.entered();
    let inner = inner.entered();
    drop(outer);
    compute(20_000);
    info!("settled");
    compute(20_000);
    drop(inner);
    info!("done");
}
