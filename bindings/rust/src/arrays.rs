//! The payload `array` between two ranks: a vector of unknown size, received as a new one after a matched probe.

use crate::{
    environment,
    ffi::{Callbacks, PAYLOAD_TAG},
    latency::WithBuffer,
    memory::Memory,
    running::{run_pair, Running},
    windows::{acknowledge, send_in_mode},
};
use mpi::{topology::Process, traits::*};

/// An iteration that receives vectors, each of which is looked at in a place of the harness after it.
struct Receiving<F> {
    iteration: F,
    received: Vec<Vec<f64>>,
    shown: Vec<&'static mut [f64]>,
}

impl<F: FnMut(&mut [Vec<f64>])> Running for Receiving<F> {
    #[inline]
    fn iterate(&mut self) {
        (self.iteration)(&mut self.received);
    }

    fn show(&mut self) {
        for (shown, received) in self.shown.iter_mut().zip(&self.received) {
            shown[..received.len()].copy_from_slice(received);
        }
    }
}

#[inline]
fn receive(from: &Process) -> Vec<f64> {
    from.receive_vec_with_tag(PAYLOAD_TAG).0
}

pub fn prepare(mode: &str, memory: &Memory, callbacks: &mut Callbacks) {
    let bytes = memory.0.attached_bytes as usize;
    match mode {
        "synchronous" => {
            latency(|to, sent| to.synchronous_send_with_tag(sent, PAYLOAD_TAG), bytes, memory, callbacks)
        }
        "buffered" => {
            latency(|to, sent| to.buffered_send_with_tag(sent, PAYLOAD_TAG), bytes, memory, callbacks)
        }
        _ => latency(|to, sent| to.send_with_tag(sent, PAYLOAD_TAG), bytes, memory, callbacks),
    }
}

fn latency(send: impl Fn(&Process, &[f64]), bytes: usize, memory: &Memory, callbacks: &mut Callbacks) {
    // SAFETY: the two buffers are distinct, and nothing else takes them.
    let (sent, shown) = unsafe { (memory.outgoing(memory.count()), memory.incoming_slots()) };
    let peer = environment::world().process_at_rank(1 - memory.0.rank);
    let received = vec![Vec::new()];
    if memory.0.rank == 0 {
        let ping = move |received: &mut [Vec<f64>]| {
            send(&peer, sent);
            received[0] = receive(&peer);
        };
        run_pair(WithBuffer { case: Receiving { iteration: ping, received, shown }, bytes }, callbacks);
    } else {
        let pong = move |received: &mut [Vec<f64>]| {
            received[0] = receive(&peer);
            send(&peer, sent);
        };
        run_pair(WithBuffer { case: Receiving { iteration: pong, received, shown }, bytes }, callbacks);
    }
}

pub fn prepare_stream(mode: &str, memory: &Memory, callbacks: &mut Callbacks) {
    // SAFETY: all of these are distinct, and nothing else takes them.
    let (outgoing, shown, acknowledgement) =
        unsafe { (memory.outgoing_slots::<f64>(), memory.incoming_slots(), memory.acknowledgement()) };
    let peer = environment::world().process_at_rank(1 - memory.0.rank);
    if memory.0.rank == 0 {
        send_in_mode(mode, outgoing, acknowledgement, peer, memory, callbacks);
    } else {
        let receive_all = move |received: &mut [Vec<f64>]| {
            for slot in received {
                *slot = receive(&peer);
            }
            acknowledge(acknowledgement, &peer);
        };
        let received = vec![Vec::new(); shown.len()];
        run_pair(Receiving { iteration: receive_all, received, shown }, callbacks);
    }
}
