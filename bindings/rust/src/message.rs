//! What a message is in Rust: a slice of elements, or one value.

use crate::ffi::PAYLOAD_TAG;
use mpi::{
    point_to_point::{send_receive_into_with_tags, send_receive_with_tags},
    request,
    topology::Process,
    traits::*,
};

/// The payloads `dict` and `instance`: a struct of the user.
#[derive(Equivalence)]
#[repr(C)]
#[allow(dead_code)] // MPI reads and writes its fields
pub struct Record {
    pub integer: i64,
    pub real: f64,
    pub text: [u8; 8],
}

/// The payload `nested`: likewise.
#[derive(Equivalence)]
#[repr(C)]
#[allow(dead_code)]
pub struct Nested {
    pub name: [u8; 8],
    pub integer: i64,
    pub rows: [[f64; 4]; 4],
}

/// A message, and how a user of the crate receives one: into a slice, or as a new value.
pub trait Message: Buffer + BufferMut + 'static {
    fn receive(&mut self, from: &Process);
    fn exchange(&mut self, sent: &Self, with: &Process);

    /// Into memory that is there: what `immediate_receive` allocates for a new value is never freed.
    #[inline]
    fn receive_nonblocking(&mut self, from: &Process) {
        request::scope(|scope| {
            from.immediate_receive_into_with_tag(scope, self, PAYLOAD_TAG).wait_without_status();
        });
    }
}

impl<T: Equivalence + 'static> Message for [T] {
    #[inline]
    fn receive(&mut self, from: &Process) {
        from.receive_into_with_tag(self, PAYLOAD_TAG);
    }

    #[inline]
    fn exchange(&mut self, sent: &Self, with: &Process) {
        send_receive_into_with_tags(sent, with, PAYLOAD_TAG, self, with, PAYLOAD_TAG);
    }
}

macro_rules! message_of_one_value {
    ($($value:ty)*) => {$(
        impl Message for $value {
            #[inline]
            fn receive(&mut self, from: &Process) {
                (*self, _) = from.receive_with_tag(PAYLOAD_TAG);
            }

            #[inline]
            fn exchange(&mut self, sent: &Self, with: &Process) {
                (*self, _) = send_receive_with_tags(sent, with, PAYLOAD_TAG, with, PAYLOAD_TAG);
            }
        }
    )*};
}

message_of_one_value!(i64 f64 Record Nested);
