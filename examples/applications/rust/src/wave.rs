// The wave equation in a cube whose boundary reflects, u_tt = u_xx + u_yy + u_zz, by central differences, on a mesh of
// ranks that exchange the faces of their blocks.

use mpi::{
    collective::SystemOperation,
    ffi,
    request::multiple_scope,
    topology::{CartesianCommunicator, SimpleCommunicator},
    traits::*,
    Rank,
};
use std::{
    array::from_fn,
    f64::consts::PI,
    ffi::{c_int, c_void},
    time::Instant,
};

/// Along an axis of a rank.
pub const LEAST_POINTS: usize = 3;
/// Likewise, so that the points of a face are counted by an i32.
const MOST_POINTS: usize = 46338;
/// Numbers in a page of memory.
const PAGE: usize = 4096 / size_of::<f64>();
/// Numbers in a cache line.
const LINE: usize = 64 / size_of::<f64>();
/// Planes that are updated at a time.
const FOUR: usize = 4;

/// The step in time: 0.57728 of the spacing, a little less than the 1 / sqrt(3) up to which the scheme is stable.
pub fn time_step(edge: usize) -> f64 {
    0.004510 * 128.0 / (edge - 1) as f64
}

/// The solver. Its methods are collective.
pub struct Wave {
    mesh: CartesianCommunicator,
    faces: [Face; 6],
    field: Field,
    edge: usize,
    overlapped: bool,
    steps: u64,
    /// Where this rank's block begins.
    pub start: [usize; 3],
    /// Nanoseconds that this rank has spent in the exchange of faces.
    pub communication_ns: i64,
}

/// Side 2 a is the lower one of axis a, side 2 a + 1 the upper one. Without a neighbour it is the boundary.
#[derive(Default)]
struct Face {
    neighbor: Option<Rank>,
    outgoing: Vec<f64>,
    incoming: Vec<f64>,
}

/// Points from first to last, both included, along each axis.
#[derive(Clone, Copy)]
struct Block {
    first: [usize; 3],
    last: [usize; 3],
}

/// u and the values of the step before it, by turns, in one memory.
#[derive(Default)]
struct Field {
    /// This rank's points; 0 and n + 1 are ghost layers.
    n: [usize; 3],
    row: usize,
    plane: usize,
    /// Sides at the boundary.
    mirror: [bool; 6],
    memory: Vec<f64>,
    /// Where each of them begins.
    begin: [usize; 2],
    current: usize,
}

impl Wave {
    /// A mesh of edge^3 points, divided among the ranks. Fails on all ranks where one has no memory, or fewer than
    /// LEAST_POINTS or more than MOST_POINTS points along an axis.
    pub fn new(world: &SimpleCommunicator, edge: usize, overlapped: bool) -> Result<Wave, &'static str> {
        let mut dims = [0; 3];
        // SAFETY: there are as many dimensions as the array has elements.
        unsafe { ffi::MPI_Dims_create(world.size(), 3, dims.as_mut_ptr()) };
        let mesh =
            world.create_cartesian_communicator(&dims, &[false; 3], false).expect("no rank is left over");
        let coordinates = mesh.rank_to_coordinates(mesh.rank());
        let (mut n, mut start) = ([0; 3], [0; 3]);
        let mut faces: [Face; 6] = Default::default();
        for axis in 0..3 {
            let (ranks, before) = (dims[axis] as usize, coordinates[axis] as usize);
            n[axis] = edge / ranks + usize::from(before < edge % ranks);
            start[axis] = edge / ranks * before + before.min(edge % ranks);
            let (lower, upper) = mesh.shift(axis as i32, 1);
            faces[2 * axis].neighbor = lower;
            faces[2 * axis + 1].neighbor = upper;
        }
        if !everywhere(&mesh, n.iter().all(|points| (LEAST_POINTS..=MOST_POINTS).contains(points))) {
            return Err(
                "the mesh is too small for the ranks, or too large: each needs 3 points along each axis, \
                        and 46338 at most",
            );
        }
        let mirror = [0, 1, 2, 3, 4, 5].map(|side: usize| faces[side].neighbor.is_none());
        let field = Field::new(n, mirror).filter(|field| field.room_for_faces(&mut faces).is_some());
        if !everywhere(&mesh, field.is_some()) {
            return Err("a rank has no memory for its part of the mesh");
        }
        let field = field.expect("made everywhere");
        let mut wave = Wave { mesh, faces, field, edge, overlapped, steps: 0, start, communication_ns: 0 };
        wave.restart();
        Ok(wave)
    }

    /// The state before the first step: u = 2 cos(pi x) cos(pi y) cos(pi z) at rest.
    pub fn restart(&mut self) {
        let cosines = [0, 1, 2].map(|axis: usize| {
            let points = self.start[axis]..self.start[axis] + self.field.n[axis];
            points.map(|i| (PI * i as f64 / (self.edge - 1) as f64).cos()).collect::<Vec<f64>>()
        });
        self.field.memory.fill(0.0); // the first step takes nothing from before it
        self.field.current = 0;
        self.steps = 0;
        let (row, plane, begin) = (self.field.row, self.field.plane, self.field.begin[0]);
        for (i, x) in cosines[0].iter().enumerate() {
            for (j, y) in cosines[1].iter().enumerate() {
                let points = &mut self.field.memory[begin + (i + 1) * plane + (j + 1) * row + 1..];
                for (point, z) in points.iter_mut().zip(&cosines[2]) {
                    *point = 2.0 * x * y * z;
                }
            }
            self.field.mirror_plane(0, i + 1, &self.field.everything());
        }
    }

    pub fn advance(&mut self, steps: u64) {
        for _ in 0..steps {
            // u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
            let share = if self.steps == 0 { 0.5 } else { 1.0 };
            let a = share * (time_step(self.edge) * (self.edge - 1) as f64).powi(2);
            self.step(a, 2.0 * share - 6.0 * a);
            self.field.current = 1 - self.field.current;
            self.steps += 1;
        }
    }

    /// The points inside are updated while the faces are in flight, if overlapped; those next to ghost layers follow,
    /// axis by axis, each of them once. A message has the number of the side at which it arrives.
    fn step(&mut self, a: f64, c: f64) {
        let Wave { mesh, faces, field, .. } = self;
        let all = field.everything();
        let inside = if self.overlapped { field.inside() } else { all };
        let begun = Instant::now();
        for (side, face) in faces.iter_mut().enumerate().filter(|(_, face)| face.neighbor.is_some()) {
            field.read_face(side, &mut face.outgoing);
        }
        let mut computing = 0;
        multiple_scope(12, |scope, requests| {
            for (side, face) in faces.iter_mut().enumerate() {
                let Some(neighbor) = face.neighbor else { continue };
                let peer = mesh.process_at_rank(neighbor);
                requests.add(peer.immediate_receive_into_with_tag(
                    scope,
                    &mut face.incoming[..],
                    side as i32,
                ));
                requests.add(peer.immediate_send_with_tag(scope, &face.outgoing[..], side as i32 ^ 1));
            }
            if self.overlapped {
                let updating = Instant::now();
                field.update(&inside, a, c);
                computing = updating.elapsed().as_nanos() as i64;
            }
            requests.wait_all(&mut Vec::with_capacity(12));
        });
        for (side, face) in faces.iter().enumerate().filter(|(_, face)| face.neighbor.is_some()) {
            field.write_face(side, &face.incoming);
        }
        self.communication_ns += begun.elapsed().as_nanos() as i64 - computing;
        if !self.overlapped {
            field.update(&all, a, c);
            return;
        }
        let mut beside = inside;
        for axis in [2, 1, 0] {
            for (here, layer) in
                [(inside.first[axis] == 2, 1), (inside.last[axis] < field.n[axis], field.n[axis])]
            {
                if here {
                    (beside.first[axis], beside.last[axis]) = (layer, layer);
                    field.update(&beside, a, c);
                }
            }
            (beside.first[axis], beside.last[axis]) = (1, field.n[axis]);
        }
    }

    /// This rank's points along each axis.
    pub fn points(&self) -> [usize; 3] {
        self.field.n
    }

    /// u from this rank's first point on, and how far apart its neighbours along each axis are.
    pub fn values(&self) -> (&[f64], [usize; 3]) {
        let Field { row, plane, begin, current, .. } = self.field;
        (&self.field.memory[begin[current] + plane + row + 1..], [plane, row, 1])
    }
}

impl Field {
    /// Point 1 of each row begins a cache line: a vector of a row then is one line, and not parts of two. The second
    /// field begins elsewhere in a page: else a processor takes values of it that are written for those of the first one
    /// with the same place in a page, and waits. None: there is no memory.
    fn new(n: [usize; 3], mirror: [bool; 6]) -> Option<Field> {
        let row = (n[2] + 2).next_multiple_of(LINE);
        let plane = (n[1] + 2).checked_mul(row)?;
        let size = (n[0] + 2).checked_mul(plane)?;
        let apart = size.checked_next_multiple_of(PAGE)? + PAGE / 2 + LINE;
        let memory = zeros(apart.checked_add(LINE + size)?)?;
        let first = (memory.as_ptr().align_offset(LINE * size_of::<f64>()) + LINE - 1) % LINE;
        Some(Field { n, row, plane, mirror, memory, begin: [first, first + apart], current: 0 })
    }

    fn everything(&self) -> Block {
        Block { first: [1; 3], last: self.n }
    }

    /// What is not next to a ghost layer of a neighbour.
    fn inside(&self) -> Block {
        Block {
            first: [0, 1, 2].map(|axis: usize| if self.mirror[2 * axis] { 1 } else { 2 }),
            last: [0, 1, 2].map(|axis: usize| self.n[axis] - usize::from(!self.mirror[2 * axis + 1])),
        }
    }

    /// The rows of the points of a layer across an axis: where each begins in u, how many points it has, and how far
    /// these are apart.
    fn layer(&self, axis: usize, layer: usize) -> (impl Iterator<Item = usize>, usize, usize) {
        let Field { n, row, plane, current, .. } = *self;
        let begin = self.begin[current];
        let (lines, first, apart, count, step) = match axis {
            0 => (n[1], layer * plane + row + 1, row, n[2], 1),
            1 => (n[0], plane + layer * row + 1, plane, n[2], 1),
            _ => (n[0], plane + row + layer, plane, n[1], row),
        };
        ((0..lines).map(move |line| begin + first + line * apart), count, step)
    }

    fn room_for_faces(&self, faces: &mut [Face; 6]) -> Option<()> {
        for (side, face) in faces.iter_mut().enumerate().filter(|(_, face)| face.neighbor.is_some()) {
            let (lines, count, _) = self.layer(side / 2, 0);
            let points = lines.count() * count;
            (face.outgoing, face.incoming) = (zeros(points)?, zeros(points)?);
        }
        Some(())
    }

    fn read_face(&self, side: usize, packed: &mut [f64]) {
        let (lines, count, step) = self.layer(side / 2, if side % 2 == 0 { 1 } else { self.n[side / 2] });
        for (begin, packed) in lines.zip(packed.chunks_exact_mut(count)) {
            for (packed, point) in packed.iter_mut().zip(self.memory[begin..].iter().step_by(step)) {
                *packed = *point;
            }
        }
    }

    fn write_face(&mut self, side: usize, packed: &[f64]) {
        let (lines, count, step) = self.layer(side / 2, if side % 2 == 0 { 0 } else { self.n[side / 2] + 1 });
        for (begin, packed) in lines.zip(packed.chunks_exact(count)) {
            for (packed, point) in packed.iter().zip(self.memory[begin..].iter_mut().step_by(step)) {
                *point = *packed;
            }
        }
    }

    /// u, and the values before last, which the next ones overwrite.
    fn both(&mut self) -> (&[f64], &mut [f64]) {
        let (first, second) = self.memory.split_at_mut(self.begin[1]);
        let first = &mut first[self.begin[0]..];
        if self.current == 0 {
            (first, second)
        } else {
            (second, first)
        }
    }

    /// The next values of a block overwrite the values before last, FOUR planes at a time, and the planes that are left
    /// over one by one. Whole rows of a plane are one line; the ghost points between them get a value, too, of which no
    /// point inside is made: they are filled before the next step. Beside the boundary, a plane takes its mirror image for
    /// the ghost plane.
    fn update(&mut self, block: &Block, a: f64, c: f64) {
        let Field { n, row, plane, mirror, current, .. } = *self;
        let Block { first, last } = *block;
        let whole = first[2] == 1 && last[2] == n[2];
        let rows = if whole { last[1] - first[1] + 1 } else { 1 };
        let count = (rows - 1) * row + last[2] - first[2] + 1;
        let begin = |i: usize, j: usize| i * plane + j * row + first[2] - 1;
        let mut i = first[0];
        while i <= last[0] {
            let top = if i + FOUR - 1 <= last[0] { i + FOUR - 1 } else { i };
            let below = if mirror[0] && i == 1 { 2 } else { i - 1 };
            let above = if mirror[1] && top == n[0] { top - 1 } else { top + 1 };
            let (u, next) = self.both();
            let at = |i: usize, j: usize| &u[begin(i, j)..][..count + 2];
            for j in (first[1]..=last[1]).step_by(rows) {
                let around = |i: usize| Around { own: at(i, j), left: at(i, j - 1), right: at(i, j + 1) };
                let beyond = [at(below, j), at(above, j)];
                let mut lines = next[begin(i, j)..].chunks_mut(plane).map(|rest| &mut rest[..count + 2]);
                if top > i {
                    let [next, next1, next2, next3] = from_fn(|_| lines.next().expect("planes follow"));
                    update_four(next, next1, next2, next3, from_fn(|p| around(i + p)), beyond, (a, c));
                } else if let Some(line) = lines.next() {
                    update_line(line, around(i), beyond, (a, c));
                }
            }
            for made in i..=top {
                self.mirror_plane(1 - current, made, block);
            }
            i = top + 1;
        }
    }

    /// The points of a plane's block next to the boundary, also of those at the ends of its rows, give the ghost points
    /// beyond it their values, while they are in the cache: u_0 = u_2.
    fn mirror_plane(&mut self, field: usize, i: usize, block: &Block) {
        let Field { n, row, plane, mirror, begin, .. } = *self;
        let Block { first, last } = *block;
        let u = &mut self.memory[begin[field] + i * plane..][..plane];
        for points in u.chunks_exact_mut(row).take(last[1] + 1).skip(first[1]) {
            if mirror[4] && first[2] == 1 {
                points[0] = points[2];
            }
            if mirror[5] && last[2] == n[2] {
                points[n[2] + 1] = points[n[2] - 1];
            }
        }
        let points = |j: usize| j * row + first[2]..j * row + last[2] + 1;
        if mirror[2] && first[1] == 1 {
            u.copy_within(points(2), points(0).start);
        }
        if mirror[3] && last[1] == n[1] {
            u.copy_within(points(n[1] - 1), points(n[1] + 1).start);
        }
    }
}

/// What a line needs of its plane: itself, and the lines a row before and behind it along axis 1. Each line here begins
/// and ends with a point more than are updated.
struct Around<'a> {
    own: &'a [f64],
    left: &'a [f64],
    right: &'a [f64],
}

impl<'a> Around<'a> {
    /// The lines, all cut to one length, so that a loop has no checks of bounds.
    fn cut(&self, length: usize) -> [&'a [f64]; 3] {
        [self.own, self.left, self.right].map(|line| &line[..length])
    }
}

/// The update of a point: what it had before u, u, and the sums of its neighbours along each axis.
fn updated(before: f64, u: f64, axis0: f64, axis1: f64, axis2: f64, a: f64, c: f64) -> f64 {
    a * ((axis0 + axis1) + axis2) + c * u - before
}

/// The lines beyond it, below and above, lie along axis 0.
fn update_line(next: &mut [f64], line: Around, beyond: [&[f64]; 2], (a, c): (f64, f64)) {
    let length = next.len();
    let [u, left, right] = line.cut(length);
    let [below, above] = beyond.map(|line| &line[..length]);
    for k in 1..length - 1 {
        next[k] = updated(next[k], u[k], below[k] + above[k], left[k] + right[k], u[k - 1] + u[k + 1], a, c);
    }
}

/// A line of a plane and the same ones of the three planes above it. A plane is a neighbour of the planes next to it, and
/// too large for the cache nearest to the processor: of four planes, six are loaded for four that are made, and of single
/// planes twelve. A compiler knows of each argument, but not of elements of an array, that nothing else leads to it.
fn update_four(
    next: &mut [f64],
    next1: &mut [f64],
    next2: &mut [f64],
    next3: &mut [f64],
    lines: [Around; FOUR],
    beyond: [&[f64]; 2],
    (a, c): (f64, f64),
) {
    let length = next.len();
    let (next1, next2, next3) = (&mut next1[..length], &mut next2[..length], &mut next3[..length]);
    let [[u, left, right], [u1, left1, right1], [u2, left2, right2], [u3, left3, right3]] =
        lines.map(|line| line.cut(length));
    let [below, above] = beyond.map(|line| &line[..length]);
    for k in 1..length - 1 {
        let v = updated(next[k], u[k], below[k] + u1[k], left[k] + right[k], u[k - 1] + u[k + 1], a, c);
        let v1 = updated(next1[k], u1[k], u[k] + u2[k], left1[k] + right1[k], u1[k - 1] + u1[k + 1], a, c);
        let v2 = updated(next2[k], u2[k], u1[k] + u3[k], left2[k] + right2[k], u2[k - 1] + u2[k + 1], a, c);
        let v3 =
            updated(next3[k], u3[k], u2[k] + above[k], left3[k] + right3[k], u3[k - 1] + u3[k + 1], a, c);
        (next[k], next1[k], next2[k], next3[k]) = (v, v1, v2, v3);
    }
}

/// So many zeros; None where there is no memory.
fn zeros(count: usize) -> Option<Vec<f64>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).ok()?;
    ask_for_huge_pages(&memory);
    memory.resize(count, 0.0);
    Some(memory)
}

unsafe extern "C" {
    fn madvise(address: *mut c_void, bytes: usize, advice: c_int) -> c_int;
}

/// Where Linux has huge pages, for memory that was not touched yet: a plane is then in few of them, and the processor
/// knows where these are.
fn ask_for_huge_pages(memory: &Vec<f64>) {
    const MADV_HUGEPAGE: c_int = 14;
    let page = PAGE * size_of::<f64>();
    let (begin, bytes) = (memory.as_ptr() as usize, memory.capacity() * size_of::<f64>());
    let before = begin.next_multiple_of(page) - begin;
    if bytes >= page + before {
        // SAFETY: these pages are the vector's, and the advice changes no byte of them.
        unsafe { madvise((begin + before) as *mut c_void, (bytes - before) / page * page, MADV_HUGEPAGE) };
    }
}

/// Whether something is so on all ranks.
fn everywhere(comm: &impl CommunicatorCollectives, here: bool) -> bool {
    let mut all = false;
    comm.all_reduce_into(&here, &mut all, SystemOperation::logical_and());
    all
}
