//! The payloads of `object` that Rust keeps on its heap. Who receives one makes it, of the size that the message has.

use crate::{
    environment,
    ffi::{Callbacks, PAYLOAD_TAG},
    memory::Memory,
    running::{run_pair, Running},
};
use mpi::{topology::Process, traits::*};

/// A value that travels as the elements it is made of.
pub trait Object: 'static {
    type Element: Equivalence + Copy + 'static;
    fn of(elements: Vec<Self::Element>) -> Self;
    fn elements(&self) -> &[Self::Element];
}

impl Object for String {
    type Element = u8;
    fn of(elements: Vec<u8>) -> String {
        String::from_utf8(elements).expect("a text is UTF-8")
    }
    fn elements(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Object for Vec<i64> {
    type Element = i64;
    fn of(elements: Vec<i64>) -> Vec<i64> {
        elements
    }
    fn elements(&self) -> &[i64] {
        self
    }
}

/// An iteration that receives an object, which is looked at in a place of the harness after it.
struct Receiving<F, O: Object> {
    iteration: F,
    received: Option<O>,
    shown: &'static mut [O::Element],
}

impl<O: Object, F: FnMut() -> O> Running for Receiving<F, O> {
    #[inline]
    fn iterate(&mut self) {
        self.received = Some((self.iteration)());
    }

    fn show(&mut self) {
        let elements = self.received.as_ref().map_or(&[][..], O::elements);
        self.shown[..elements.len()].copy_from_slice(elements);
    }
}

#[inline]
fn send<O: Object>(object: &O, to: &Process) {
    to.send_with_tag(object.elements(), PAYLOAD_TAG);
}

#[inline]
fn receive<O: Object>(from: &Process) -> O {
    O::of(from.receive_vec_with_tag(PAYLOAD_TAG).0)
}

pub fn prepare<O: Object>(memory: &Memory, callbacks: &mut Callbacks) {
    // SAFETY: the two buffers are distinct, and nothing else takes them.
    let (sent, shown) =
        unsafe { (memory.outgoing::<O::Element>(memory.count()), memory.incoming(memory.count())) };
    let object = O::of(sent.to_vec());
    let peer = environment::world().process_at_rank(1 - memory.0.rank);
    if memory.0.rank == 0 {
        let ping = move || {
            send(&object, &peer);
            receive::<O>(&peer)
        };
        run_pair(Receiving { iteration: ping, received: None, shown }, callbacks);
    } else {
        let pong = move || {
            let received: O = receive(&peer);
            send(&object, &peer);
            received
        };
        run_pair(Receiving { iteration: pong, received: None, shown }, callbacks);
    }
}
