//! A face of the cube as a datatype: a vector of rows or of single elements.

use crate::{
    environment,
    ffi::{Buffers, Callbacks, PAYLOAD_TAG},
    running::run_pair,
};
use mpi::{
    datatype::{MutView, UserDatatype, View},
    topology::Process,
    traits::*,
};
use std::slice;

/// A cube of doubles, whose first face is sent and whose last face is received.
struct Faces {
    cube: &'static mut [f64],
    last: usize, // where the last face begins
    face: UserDatatype,
    peer: Process<'static>,
}

impl Faces {
    #[inline]
    fn send(&self) {
        // SAFETY: the datatype describes doubles of the cube.
        let face = unsafe { View::with_count_and_datatype(&self.cube[..], 1, &self.face) };
        self.peer.send_with_tag(&face, PAYLOAD_TAG);
    }

    #[inline]
    fn receive(&mut self) {
        // SAFETY: likewise, from where the last face begins.
        let mut face =
            unsafe { MutView::with_count_and_datatype(&mut self.cube[self.last..], 1, &self.face) };
        self.peer.receive_into_with_tag(&mut face, PAYLOAD_TAG);
    }
}

pub fn prepare(mode: &str, buffers: &Buffers, callbacks: &mut Callbacks) {
    let edge = buffers.edge as usize;
    let n = edge as i32;
    let double = f64::equivalent_datatype();
    let (last, face) = match mode {
        "rows" => (edge * (edge - 1), UserDatatype::vector(n, n, n * n, &double)),
        "elements" => (edge - 1, UserDatatype::vector(n * n, 1, n, &double)),
        _ => (edge * edge * (edge - 1), UserDatatype::contiguous(n * n, &double)),
    };
    // SAFETY: the cube begins with the face that is sent, and nothing else takes it.
    let cube = unsafe { slice::from_raw_parts_mut(buffers.outgoing.cast(), edge * edge * edge) };
    let peer = environment::world().process_at_rank(1 - buffers.rank);
    let mut faces = Faces { cube, last, face, peer };
    if buffers.rank == 0 {
        let ping = move || {
            faces.send();
            faces.receive();
        };
        run_pair(ping, callbacks);
    } else {
        let pong = move || {
            faces.receive();
            faces.send();
        };
        run_pair(pong, callbacks);
    }
}
