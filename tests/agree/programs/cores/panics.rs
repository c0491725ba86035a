// A panic that ends the process, in a thread with a closure, while another one waits.
use std::sync::mpsc;
use std::thread;

#[inline(never)]
fn divides(numbers: &[i64], at: usize) -> i64 {
    numbers.iter().map(|n| 100 / n).nth(at).unwrap() + 1
}

fn main() {
    let (_sender, receiver) = mpsc::channel::<i64>();
    let _waits = thread::spawn(move || receiver.recv());
    let dies = thread::spawn(|| {
        let numbers = vec![1, 2, 3];
        divides(&numbers, 7)
    });
    thread::sleep(std::time::Duration::from_millis(200));
    println!("{:?}", dies.join());
}
