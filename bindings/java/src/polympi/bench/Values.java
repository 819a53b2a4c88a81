package polympi.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Values of Java: each is written into a message before it is sent, and read from one that arrived.
 *
 * <p>A collective has as many as it has messages.
 */
interface Values {
    int RECORD_BYTES = 24;

    Values NONE = new Values() {};

    /** The memory of messages; null where they are buffers of the harness. */
    default MemorySegment out() {
        return null;
    }

    default MemorySegment in() {
        return null;
    }

    default void write() {}

    default void read() {}

    default void show() {}

    /** Memory for the messages of one case, outside of the heap. */
    static MemorySegment memory(int messages, int bytes) {
        return Arena.ofAuto().allocate(Math.max(1, messages) * (long) bytes, 64);
    }

    /** Values that lie in messages, each of which has its own memory. */
    abstract class InMessages implements Values {
        protected final MemorySegment out;
        protected final MemorySegment in;
        protected final MemorySegment shown;

        InMessages(Buffers b, int bytes) {
            out = memory(b.outs().length, bytes);
            in = memory(b.ins().length, bytes);
            shown = b.in();
        }

        @Override
        public final MemorySegment out() {
            return out;
        }

        @Override
        public final MemorySegment in() {
            return in;
        }
    }

    /** The payload int. */
    final class Longs extends InMessages {
        private final long[] sent;
        private final long[] received;

        Longs(Buffers b) {
            super(b, Long.BYTES);
            sent = new long[b.outs().length];
            received = new long[b.ins().length];
            MemorySegment.copy(b.out(), JAVA_LONG, 0, sent, 0, sent.length);
        }

        @Override
        public void write() {
            for (int i = 0; i < sent.length; i++) {
                out.setAtIndex(JAVA_LONG, i, sent[i]);
            }
        }

        @Override
        public void read() {
            for (int i = 0; i < received.length; i++) {
                received[i] = in.getAtIndex(JAVA_LONG, i);
            }
        }

        @Override
        public void show() {
            MemorySegment.copy(received, 0, shown, JAVA_LONG, 0, received.length);
            java.util.Arrays.fill(received, 0);
        }
    }

    /** The payload float. */
    final class Reals extends InMessages {
        private final double[] sent;
        private final double[] received;

        Reals(Buffers b) {
            super(b, Double.BYTES);
            sent = new double[b.outs().length];
            received = new double[b.ins().length];
            MemorySegment.copy(b.out(), JAVA_DOUBLE, 0, sent, 0, sent.length);
        }

        @Override
        public void write() {
            for (int i = 0; i < sent.length; i++) {
                out.setAtIndex(JAVA_DOUBLE, i, sent[i]);
            }
        }

        @Override
        public void read() {
            for (int i = 0; i < received.length; i++) {
                received[i] = in.getAtIndex(JAVA_DOUBLE, i);
            }
        }

        @Override
        public void show() {
            MemorySegment.copy(received, 0, shown, JAVA_DOUBLE, 0, received.length);
            java.util.Arrays.fill(received, 0);
        }
    }

    /** What the payloads dict and instance are in Java. */
    record Named(long integer, double real, String text) implements Serializable {
        static Named read(MemorySegment memory, long from) {
            final byte[] text = new byte[8];
            MemorySegment.copy(memory, JAVA_BYTE, from + 16, text, 0, text.length);
            return new Named(
                    memory.get(JAVA_LONG, from),
                    memory.get(JAVA_DOUBLE, from + 8),
                    new String(text, StandardCharsets.US_ASCII));
        }

        void write(MemorySegment memory, long from) {
            memory.set(JAVA_LONG, from, integer);
            memory.set(JAVA_DOUBLE, from + 8, real);
            final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, from + 16, bytes.length);
        }
    }

    /** The payload dict. */
    final class Records extends InMessages {
        private final Named[] sent;
        private final Named[] received;

        Records(Buffers b) {
            super(b, RECORD_BYTES);
            sent = new Named[b.outs().length];
            received = new Named[b.ins().length];
            for (int i = 0; i < sent.length; i++) {
                sent[i] = Named.read(b.outs()[i], 0);
            }
        }

        @Override
        public void write() {
            for (int i = 0; i < sent.length; i++) {
                sent[i].write(out, i * (long) RECORD_BYTES);
            }
        }

        @Override
        public void read() {
            for (int i = 0; i < received.length; i++) {
                received[i] = Named.read(in, i * (long) RECORD_BYTES);
            }
        }

        @Override
        public void show() {
            for (int i = 0; i < received.length; i++) {
                received[i].write(shown, i * (long) RECORD_BYTES);
            }
            in.fill((byte) 0);
        }
    }
}
