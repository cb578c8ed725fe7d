// Two threads whose shares are known, with the profile that pprof-rs writes: cargo run --release
use pprof::protos::Message;
use std::io::Write;

#[inline(never)]
fn divide(n: u64) -> u64 {
    (1..n).fold(1, |sum, i| sum ^ std::hint::black_box(n * 7919) / i)
}

fn main() {
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(200)
        .build()
        .unwrap();
    let threads: Vec<_> = ["first", "second"]
        .iter()
        .map(|name| {
            std::thread::Builder::new()
                .name(name.to_string())
                .spawn(|| divide(150_000_000))
                .unwrap()
        })
        .collect();
    for thread in threads {
        std::hint::black_box(thread.join().unwrap());
    }
    let profile = guard.report().build().unwrap().pprof().unwrap();
    std::fs::File::create("work.rs.pb")
        .unwrap()
        .write_all(&profile.encode_to_vec())
        .unwrap();
}
