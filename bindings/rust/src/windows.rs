//! Many messages in flight: bandwidth, bibandwidth and stream. `a` is rank 0 and `b` rank 1.

use crate::{
    environment,
    ffi::{Callbacks, ACKNOWLEDGEMENT_TAG, PAYLOAD_TAG},
    latency::WithBuffer,
    memory::Memory,
    running::run_pair,
};
use mpi::{
    request::{multiple_scope, LocalScope, RequestCollection},
    topology::Process,
    traits::*,
};

pub fn prepare<T: Equivalence + 'static>(
    benchmark: &str,
    mode: &str,
    memory: &Memory,
    callbacks: &mut Callbacks,
) {
    // SAFETY: all of these are distinct, and nothing else takes them.
    let (outgoing, mut incoming, acknowledgement) =
        unsafe { (memory.outgoing_slots::<T>(), memory.incoming_slots::<T>(), memory.acknowledgement()) };
    let window = memory.0.window as usize;
    let peer = environment::world().process_at_rank(1 - memory.0.rank);
    match (benchmark, memory.0.rank) {
        ("bandwidth", 0) => run_pair(
            move || {
                multiple_scope(window, |scope, requests| {
                    start_sends(&outgoing, &peer, scope, requests);
                    requests.wait_all(&mut Vec::with_capacity(window));
                });
                await_acknowledgement(acknowledgement, &peer);
            },
            callbacks,
        ),
        ("bandwidth", _) => run_pair(
            move || {
                multiple_scope(window, |scope, requests| {
                    post_receives(&mut incoming, &peer, scope, requests);
                    requests.wait_all(&mut Vec::with_capacity(window));
                });
                acknowledge(acknowledgement, &peer);
            },
            callbacks,
        ),
        ("stream", 0) => send_in_mode(mode, outgoing, acknowledgement, peer, memory, callbacks),
        ("stream", _) => run_pair(
            move || {
                for slot in &mut incoming {
                    peer.receive_into_with_tag(*slot, PAYLOAD_TAG);
                }
                acknowledge(acknowledgement, &peer);
            },
            callbacks,
        ),
        _ => run_pair(
            move || {
                multiple_scope(2 * window, |scope, requests| {
                    post_receives(&mut incoming, &peer, scope, requests);
                    start_sends(&outgoing, &peer, scope, requests);
                    requests.wait_all(&mut Vec::with_capacity(2 * window));
                });
            },
            callbacks,
        ),
    }
}

/// Rank 0 of a stream.
pub fn send_in_mode<T: Equivalence + 'static>(
    mode: &str,
    outgoing: Vec<&'static [T]>,
    acknowledgement: &'static mut u8,
    peer: Process<'static>,
    memory: &Memory,
    callbacks: &mut Callbacks,
) {
    match mode {
        "synchronous" => {
            let send = |to: &Process, sent: &[T]| to.synchronous_send_with_tag(sent, PAYLOAD_TAG);
            send_all(send, outgoing, acknowledgement, peer, memory, callbacks)
        }
        "buffered" => {
            let send = |to: &Process, sent: &[T]| to.buffered_send_with_tag(sent, PAYLOAD_TAG);
            send_all(send, outgoing, acknowledgement, peer, memory, callbacks)
        }
        _ => {
            let send = |to: &Process, sent: &[T]| to.send_with_tag(sent, PAYLOAD_TAG);
            send_all(send, outgoing, acknowledgement, peer, memory, callbacks)
        }
    }
}

/// The loop of a stream, compiled for each mode by itself.
fn send_all<T: Equivalence + 'static>(
    send: impl Fn(&Process, &[T]) + 'static,
    outgoing: Vec<&'static [T]>,
    acknowledgement: &'static mut u8,
    peer: Process<'static>,
    memory: &Memory,
    callbacks: &mut Callbacks,
) {
    let case = move || {
        for slot in &outgoing {
            send(&peer, slot);
        }
        await_acknowledgement(acknowledgement, &peer);
    };
    run_pair(WithBuffer { case, bytes: memory.0.attached_bytes as usize }, callbacks);
}

#[inline]
fn start_sends<'a, T: Equivalence>(
    slots: &'a [&'static [T]],
    peer: &Process,
    scope: &LocalScope<'a>,
    requests: &mut RequestCollection<'a, [T]>,
) {
    for slot in slots {
        requests.add(peer.immediate_send_with_tag(scope, *slot, PAYLOAD_TAG));
    }
}

#[inline]
fn post_receives<'a, T: Equivalence>(
    slots: &'a mut [&'static mut [T]],
    peer: &Process,
    scope: &LocalScope<'a>,
    requests: &mut RequestCollection<'a, [T]>,
) {
    for slot in slots {
        requests.add(peer.immediate_receive_into_with_tag(scope, &mut **slot, PAYLOAD_TAG));
    }
}

#[inline]
pub fn acknowledge(byte: &u8, peer: &Process) {
    peer.send_with_tag(byte, ACKNOWLEDGEMENT_TAG);
}

#[inline]
pub fn await_acknowledgement(byte: &mut u8, peer: &Process) {
    peer.receive_into_with_tag(byte, ACKNOWLEDGEMENT_TAG);
}
