//! Much of the standard library, inlined: for comparing symbols.
use std::collections::HashMap;

fn gather(places: &mut HashMap<String, Vec<u64>>, count: u64) -> u64 {
    let mut sum = 0;
    for i in 0..count {
        let found = places.entry(format!("word{}", i % 97)).or_default();
        found.push(i * i);
        sum += found.iter().rev().take(5).sum::<u64>();
    }
    sum
}

fn main() {
    let mut places = HashMap::new();
    println!("{}", gather(&mut places, std::env::args().count() as u64 * 1000));
    let mut sorted: Vec<_> = places.into_iter().collect();
    sorted.sort();
    println!("{:?}", sorted.first());
}
