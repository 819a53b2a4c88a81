package polympi.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Texts, and objects that Java serialises, whose receivers do not know how long they are.
 *
 * <p>Memory for messages is outside of the heap; it is kept, and grows as it has to.
 */
public final class Objects {
    private final Comm comm;
    private MemorySegment out = MemorySegment.NULL;
    private MemorySegment in = MemorySegment.NULL;

    /** Exchanges objects over a communicator. */
    public Objects(Comm comm) {
        this.comm = comm;
    }

    /** Sends a text, as UTF-8. */
    public void send(String text, int dest, int tag) {
        sendBytes(text.getBytes(StandardCharsets.UTF_8), dest, tag);
    }

    /** Receives a text. */
    public String recvText(int source, int tag) {
        return new String(recvBytes(source, tag), StandardCharsets.UTF_8);
    }

    /** Sends an object, serialised. */
    public void send(Serializable object, int dest, int tag) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
            stream.writeObject(object);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
        sendBytes(bytes.toByteArray(), dest, tag);
    }

    /** Receives an object. Only from ranks that are trusted: reading one may run code of its class. */
    public Object recv(int source, int tag) {
        try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(recvBytes(source, tag)))) {
            return stream.readObject();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (ClassNotFoundException unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    private void sendBytes(byte[] bytes, int dest, int tag) {
        out = grown(out, bytes.length);
        MemorySegment.copy(bytes, 0, out, JAVA_BYTE, 0, bytes.length);
        comm.send(out, bytes.length, Datatype.BYTE, dest, tag);
    }

    private byte[] recvBytes(int source, int tag) {
        final byte[] bytes = new byte[comm.mprobe(Datatype.BYTE, source, tag)];
        in = grown(in, bytes.length);
        comm.mrecv(in, bytes.length, Datatype.BYTE);
        MemorySegment.copy(in, JAVA_BYTE, 0, bytes, 0, bytes.length);
        return bytes;
    }

    private static MemorySegment grown(MemorySegment memory, int bytes) {
        return memory.byteSize() >= bytes && memory.address() != 0 ? memory : Arena.ofAuto().allocate(bytes + 8, 4096);
    }
}
