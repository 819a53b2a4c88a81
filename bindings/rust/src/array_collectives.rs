//! The payload `array` between all ranks, root 0: sizes first, then room for the data, then the data.
//!
//! In a reduction all ranks have vectors of one size, so that a rank knows the size of the result.

use crate::{
    environment,
    ffi::Callbacks,
    memory::Memory,
    running::{run_together, Running},
};
use mpi::{
    collective::SystemOperation,
    datatype::{Partition, PartitionMut},
    traits::*,
    Count,
};

/// An iteration that makes a vector, which is looked at in a place of the harness after it.
struct Making<F> {
    iteration: F,
    received: Vec<f64>,
    shown: &'static mut [f64],
}

impl<F: FnMut() -> Vec<f64>> Running for Making<F> {
    #[inline]
    fn iterate(&mut self) {
        self.received = (self.iteration)();
    }

    fn show(&mut self) {
        self.shown[..self.received.len()].copy_from_slice(&self.received);
    }
}

/// Where each rank's vector begins, when they lie side by side.
fn begins(counts: &[Count]) -> Vec<Count> {
    let place = |next: &mut Count, count: &Count| {
        *next += count;
        Some(*next - count)
    };
    counts.iter().scan(0, place).collect()
}

fn total(counts: &[Count]) -> usize {
    counts.iter().sum::<Count>() as usize
}

pub fn prepare(benchmark: &str, memory: &Memory, callbacks: &mut Callbacks) {
    let world = environment::world();
    let root = world.process_at_rank(0);
    let here = memory.0.rank == 0;
    let length = memory.count() as Count;
    let ranks = memory.0.ranks as usize;
    // SAFETY: a benchmark takes what it sends and what it receives once, and these are distinct.
    let sent_one = || unsafe { memory.outgoing::<f64>(memory.count()) };
    let sent_all = || unsafe { memory.outgoing::<f64>(memory.count_of_all()) };
    let shown_one = || unsafe { memory.incoming::<f64>(memory.count()) };
    let shown_all = || unsafe { memory.incoming::<f64>(memory.count_of_all()) };
    match benchmark {
        "bcast" if here => {
            // SAFETY: on the root what is sent and what is received is the same buffer, taken here only.
            let sent = shown_one();
            let give = move || {
                root.broadcast_into(&mut (sent.len() as u64));
                root.broadcast_into(sent);
            };
            run_together(give, callbacks);
        }
        "bcast" => {
            let take = move || {
                let mut size = 0_u64;
                root.broadcast_into(&mut size);
                let mut received = vec![0.0; size as usize];
                root.broadcast_into(&mut received[..]);
                received
            };
            make(take, shown_one(), callbacks);
        }
        "reduce" if here => {
            let sent = sent_one();
            let sum = move || {
                let mut received = vec![0.0; sent.len()];
                root.reduce_into_root(sent, &mut received[..], SystemOperation::sum());
                received
            };
            make(sum, shown_one(), callbacks);
        }
        "reduce" => {
            let sent = sent_one();
            run_together(move || root.reduce_into(sent, SystemOperation::sum()), callbacks);
        }
        "allreduce" => {
            let sent = sent_one();
            let sum = move || {
                let mut received = vec![0.0; sent.len()];
                world.all_reduce_into(sent, &mut received[..], SystemOperation::sum());
                received
            };
            make(sum, shown_one(), callbacks);
        }
        "gather" if here => {
            let sent = sent_one();
            let gather = move || {
                let mut counts = vec![0; ranks];
                root.gather_into_root(&(sent.len() as Count), &mut counts[..]);
                let mut received = vec![0.0; total(&counts)];
                let mut parts = PartitionMut::new(&mut received[..], &counts[..], begins(&counts));
                root.gather_varcount_into_root(sent, &mut parts);
                received
            };
            make(gather, shown_all(), callbacks);
        }
        "gather" => {
            let sent = sent_one();
            let give = move || {
                root.gather_into(&(sent.len() as Count));
                root.gather_varcount_into(sent);
            };
            run_together(give, callbacks);
        }
        "scatter" if here => {
            let sent = sent_all();
            let counts = vec![length; ranks];
            let scatter = move || {
                let mut size: Count = 0;
                root.scatter_into_root(&counts[..], &mut size);
                let mut received = vec![0.0; size as usize];
                let parts = Partition::new(sent, &counts[..], begins(&counts));
                root.scatter_varcount_into_root(&parts, &mut received[..]);
                received
            };
            make(scatter, shown_one(), callbacks);
        }
        "scatter" => {
            let take = move || {
                let mut size: Count = 0;
                root.scatter_into(&mut size);
                let mut received = vec![0.0; size as usize];
                root.scatter_varcount_into(&mut received[..]);
                received
            };
            make(take, shown_one(), callbacks);
        }
        "allgather" => {
            let sent = sent_one();
            let gather = move || {
                let mut counts = vec![0; ranks];
                world.all_gather_into(&(sent.len() as Count), &mut counts[..]);
                let mut received = vec![0.0; total(&counts)];
                let mut parts = PartitionMut::new(&mut received[..], &counts[..], begins(&counts));
                world.all_gather_varcount_into(sent, &mut parts);
                received
            };
            make(gather, shown_all(), callbacks);
        }
        _ => {
            let sent = sent_all();
            let sent_counts = vec![length; ranks];
            let exchange = move || {
                let mut counts = vec![0; ranks];
                world.all_to_all_into(&sent_counts[..], &mut counts[..]);
                let mut received = vec![0.0; total(&counts)];
                let given = Partition::new(sent, &sent_counts[..], begins(&sent_counts));
                let mut taken = PartitionMut::new(&mut received[..], &counts[..], begins(&counts));
                world.all_to_all_varcount_into(&given, &mut taken);
                received
            };
            make(exchange, shown_all(), callbacks);
        }
    }
}

fn make(iteration: impl FnMut() -> Vec<f64>, shown: &'static mut [f64], callbacks: &mut Callbacks) {
    run_together(Making { iteration, received: Vec::new(), shown }, callbacks);
}
