package polympi.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** The memory of a rank in a case: struct polympi_buffers of the harness. */
record Buffers(
        MemorySegment[] outs,
        MemorySegment[] ins,
        MemorySegment first,
        MemorySegment acknowledgement,
        MemorySegment empty,
        MemorySegment attached,
        long distance,
        int count,
        long edge,
        int rank,
        MemorySegment part) {
    static Buffers read(MemorySegment b) {
        final long stride = b.get(JAVA_LONG, 56);
        final MemorySegment outgoing = b.get(ADDRESS, 0);
        final MemorySegment incoming = b.get(ADDRESS, 8);
        return new Buffers(
                slots(outgoing, b.get(JAVA_INT, 88), stride),
                slots(incoming, b.get(JAVA_INT, 92), stride),
                outgoing,
                memory(b.get(ADDRESS, 16), 1),
                b.get(ADDRESS, 24),
                memory(b.get(ADDRESS, 32), b.get(JAVA_LONG, 72)),
                incoming.address() - outgoing.address(),
                (int) b.get(JAVA_LONG, 64),
                b.get(JAVA_LONG, 80),
                b.get(JAVA_INT, 100),
                memory(b.get(ADDRESS, 112), 80));
    }

    /** The cube of faces, which begins with the face that is sent. */
    MemorySegment cube() {
        return memory(first, edge * edge * edge * Double.BYTES);
    }

    /** All messages of a row, of which the first is at the beginning; in a collective they touch. */
    MemorySegment out() {
        return outs.length == 0 ? MemorySegment.NULL : outs[0];
    }

    MemorySegment in() {
        return ins.length == 0 ? MemorySegment.NULL : ins[0];
    }

    /** Slot i reaches to the end of all, since a collective takes it for all. */
    private static MemorySegment[] slots(MemorySegment first, int messages, long stride) {
        final MemorySegment[] slots = new MemorySegment[messages];
        for (int i = 0; i < messages; i++) {
            slots[i] = memory(MemorySegment.ofAddress(first.address() + i * stride), (messages - i) * stride);
        }
        return slots;
    }

    @SuppressWarnings("restricted")
    static MemorySegment memory(MemorySegment address, long bytes) {
        return address.reinterpret(bytes);
    }
}
