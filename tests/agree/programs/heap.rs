// heap -- Rust with generics, closures, iterators and a panic path.
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
struct Item<T> {
    key: String,
    value: T,
}

impl<T: Copy + Into<f64>> Item<T> {
    #[inline(always)]
    fn weight(&self) -> f64 {
        self.value.into() * self.key.len() as f64
    }
}

#[inline(never)]
fn heaviest<T: Copy + Into<f64>>(items: &[Item<T>]) -> Option<&Item<T>> {
    items.iter().max_by(|a, b| a.weight().partial_cmp(&b.weight()).unwrap())
}

fn main() {
    let mut counts = BTreeMap::new();
    let items: Vec<Item<u32>> = std::env::args()
        .enumerate()
        .map(|(i, key)| Item { key, value: i as u32 + 1 })
        .collect();
    for item in &items {
        *counts.entry(item.key.clone()).or_insert(0u32) += item.value;
    }
    println!("{:?} {:?}", heaviest(&items), counts);
}
