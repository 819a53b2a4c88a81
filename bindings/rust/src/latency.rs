//! Ping-pong. Ping is rank 0 and pong rank 1.

use crate::{
    environment,
    ffi::{Callbacks, PAYLOAD_TAG},
    memory::{Memory, Shape},
    message::Message,
    running::{run_pair, Running},
};
use mpi::{
    request::{Request, StaticScope},
    topology::Process,
    traits::*,
};

/// The messages of a rank and the other rank.
struct Pair<M: ?Sized + 'static> {
    outgoing: &'static M,
    incoming: &'static mut M,
    peer: Process<'static>,
    rank: i32,
}

pub fn prepare<S: Shape>(mode: &str, memory: &Memory, callbacks: &mut Callbacks) {
    // SAFETY: the two buffers are distinct, and nothing else takes them.
    let (outgoing, incoming) = unsafe { (memory.outgoing(memory.count()), memory.incoming(memory.count())) };
    let pair = Pair {
        outgoing: S::one(outgoing),
        incoming: S::one_mut(incoming),
        peer: environment::world().process_at_rank(1 - memory.0.rank),
        rank: memory.0.rank,
    };
    let attached = memory.0.attached_bytes as usize;
    match mode {
        "synchronous" => {
            blocking(pair, |to, sent| to.synchronous_send_with_tag(sent, PAYLOAD_TAG), 0, callbacks)
        }
        "buffered" => {
            blocking(pair, |to, sent| to.buffered_send_with_tag(sent, PAYLOAD_TAG), attached, callbacks)
        }
        "standard-nonblocking" => nonblocking(
            pair,
            |to, sent| to.immediate_send_with_tag(StaticScope, sent, PAYLOAD_TAG),
            0,
            callbacks,
        ),
        "synchronous-nonblocking" => nonblocking(
            pair,
            |to, sent| to.immediate_synchronous_send_with_tag(StaticScope, sent, PAYLOAD_TAG),
            0,
            callbacks,
        ),
        "buffered-nonblocking" => nonblocking(
            pair,
            |to, sent| to.immediate_buffered_send_with_tag(StaticScope, sent, PAYLOAD_TAG),
            attached,
            callbacks,
        ),
        "sendrecv" => exchange(pair, callbacks),
        _ => blocking(pair, |to, sent| to.send_with_tag(sent, PAYLOAD_TAG), 0, callbacks),
    }
}

fn blocking<M: Message + ?Sized>(
    Pair { outgoing, incoming, peer, rank }: Pair<M>,
    send: impl Fn(&Process, &M),
    attached: usize,
    callbacks: &mut Callbacks,
) {
    if rank == 0 {
        let ping = move || {
            send(&peer, outgoing);
            incoming.receive(&peer);
        };
        run_pair(WithBuffer { case: ping, bytes: attached }, callbacks);
    } else {
        let pong = move || {
            incoming.receive(&peer);
            send(&peer, outgoing);
        };
        run_pair(WithBuffer { case: pong, bytes: attached }, callbacks);
    }
}

fn nonblocking<M: Message + ?Sized>(
    Pair { outgoing, incoming, peer, rank }: Pair<M>,
    send: impl Fn(&Process, &'static M) -> Request<'static, M>,
    attached: usize,
    callbacks: &mut Callbacks,
) {
    if rank == 0 {
        let ping = move || {
            send(&peer, outgoing).wait_without_status();
            incoming.receive_nonblocking(&peer);
        };
        run_pair(WithBuffer { case: ping, bytes: attached }, callbacks);
    } else {
        let pong = move || {
            incoming.receive_nonblocking(&peer);
            send(&peer, outgoing).wait_without_status();
        };
        run_pair(WithBuffer { case: pong, bytes: attached }, callbacks);
    }
}

fn exchange<M: Message + ?Sized>(Pair { outgoing, incoming, peer, .. }: Pair<M>, callbacks: &mut Callbacks) {
    run_pair(move || incoming.exchange(outgoing, &peer), callbacks);
}

/// A case that needs an attached buffer in the mode `buffered`, where `bytes` is not 0.
pub struct WithBuffer<R> {
    pub case: R,
    pub bytes: usize,
}

impl<R: Running> Running for WithBuffer<R> {
    #[inline]
    fn iterate(&mut self) {
        self.case.iterate();
    }

    fn begin(&mut self) {
        environment::attach_buffer(self.bytes);
    }

    fn end(&mut self) {
        environment::attach_buffer(0);
    }

    fn show(&mut self) {
        self.case.show();
    }
}
