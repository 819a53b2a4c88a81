//! A message round all ranks: from rank 0 to rank 1, from every rank to the next, from the last to rank 0.

use crate::{
    environment,
    ffi::{Callbacks, PAYLOAD_TAG},
    memory::{Memory, Shape},
    message::Message,
    running::run_pair,
};
use mpi::traits::*;

pub fn prepare<S: Shape>(memory: &Memory, callbacks: &mut Callbacks) {
    let (rank, ranks) = (memory.0.rank, memory.0.ranks);
    let next = environment::world().process_at_rank((rank + 1) % ranks);
    let previous = environment::world().process_at_rank((rank + ranks - 1) % ranks);
    // SAFETY: the two buffers are distinct, and nothing else takes them.
    let incoming = S::one_mut(unsafe { memory.incoming(memory.count()) });
    if rank == 0 {
        // SAFETY: likewise; only rank 0 has its own message.
        let outgoing = S::one(unsafe { memory.outgoing(memory.count()) });
        let begun = move || {
            next.send_with_tag(outgoing, PAYLOAD_TAG);
            incoming.receive(&previous);
        };
        run_pair(begun, callbacks);
    } else {
        let gone_on = move || {
            incoming.receive(&previous);
            next.send_with_tag(&*incoming, PAYLOAD_TAG);
        };
        run_pair(gone_on, callbacks);
    }
}
