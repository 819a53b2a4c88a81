//! The benchmark `datatype`: a message whose elements do not lie side by side, as a datatype describes it.

use crate::{
    environment,
    ffi::{Callbacks, PAYLOAD_TAG},
    memory::Memory,
    running::run_pair,
};
use mpi::{
    datatype::{MutView, UserDatatype, View},
    topology::Process,
    traits::*,
    Address, Count,
};
use std::mem::{offset_of, size_of};

/// Elements of a group that are sent.
const GROUP: Count = 4;

/// The record of the layout `struct`.
#[repr(C)]
#[allow(dead_code)] // MPI reads and writes its fields
struct Particle {
    number: i64,
    mass: f64,
    own: f64, // stays
    place: [f64; 2],
}

/// A message in memory: this many values of a datatype, and the elements that all of them span.
struct Layout {
    count: Count,
    datatype: UserDatatype,
    span: usize,
}

impl Layout {
    fn of(mode: &str, elements: Count) -> Layout {
        let groups = elements / GROUP;
        let double = f64::equivalent_datatype();
        let (count, datatype, period) = match mode {
            "vector" => (1, UserDatatype::vector(elements, 1, 2, &double), 8),
            "indexed" => {
                let lengths: Vec<Count> = (0..groups).flat_map(|_| [1, 3]).collect();
                let places: Vec<Count> = (0..groups).flat_map(|group| [6 * group, 6 * group + 2]).collect();
                (1, UserDatatype::indexed(&lengths, &places, &double), 6)
            }
            "struct" => (groups, particle(), size_of::<Particle>() / size_of::<f64>()),
            _ => (1, UserDatatype::contiguous(elements, &double), GROUP as usize),
        };
        Layout { count, datatype, span: groups as usize * period }
    }
}

/// Its size is that of the record, which ends with a field that is sent.
fn particle() -> UserDatatype {
    let places = [offset_of!(Particle, number), offset_of!(Particle, mass), offset_of!(Particle, place)];
    let types = [i64::equivalent_datatype(), f64::equivalent_datatype(), f64::equivalent_datatype()];
    UserDatatype::structured(&[1, 1, 2], &places.map(|place| place as Address), &types)
}

struct Messages {
    outgoing: &'static [f64],
    incoming: &'static mut [f64],
    layout: Layout,
    peer: Process<'static>,
}

impl Messages {
    #[inline]
    fn send(&self) {
        let Layout { count, datatype, .. } = &self.layout;
        // SAFETY: the datatype describes doubles of the message, or an integer in the place of one.
        let message = unsafe { View::with_count_and_datatype(self.outgoing, *count, datatype) };
        self.peer.send_with_tag(&message, PAYLOAD_TAG);
    }

    #[inline]
    fn receive(&mut self) {
        let Layout { count, datatype, .. } = &self.layout;
        // SAFETY: likewise.
        let mut message = unsafe { MutView::with_count_and_datatype(&mut *self.incoming, *count, datatype) };
        self.peer.receive_into_with_tag(&mut message, PAYLOAD_TAG);
    }
}

pub fn prepare(mode: &str, memory: &Memory, callbacks: &mut Callbacks) {
    let layout = Layout::of(mode, memory.count() as Count);
    // SAFETY: the two buffers are distinct, have room for the gaps, and nothing else takes them.
    let (outgoing, incoming) = unsafe { (memory.outgoing(layout.span), memory.incoming(layout.span)) };
    let peer = environment::world().process_at_rank(1 - memory.0.rank);
    let mut messages = Messages { outgoing, incoming, layout, peer };
    if memory.0.rank == 0 {
        let ping = move || {
            messages.send();
            messages.receive();
        };
        run_pair(ping, callbacks);
    } else {
        let pong = move || {
            messages.receive();
            messages.send();
        };
        run_pair(pong, callbacks);
    }
}
