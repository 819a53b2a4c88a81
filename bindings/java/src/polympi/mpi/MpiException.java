package polympi.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What the library reported. */
public final class MpiException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final MethodHandle ERROR_STRING = Library.function("MPI_Error_string", "IAA");
    private final int code;

    private MpiException(int code) {
        super(text(code));
        this.code = code;
    }

    /** The library's own number of the error. */
    public int code() {
        return code;
    }

    static void check(int code) {
        if (code != 0) {
            throw new MpiException(code);
        }
    }

    /** What to throw for what a call of a method handle has thrown, of which the compiler knows nothing. */
    static RuntimeException from(Throwable thrown) {
        if (thrown instanceof MpiException reported) {
            return reported;
        }
        throw new AssertionError(thrown);
    }

    private static String text(int code) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment text = arena.allocate(Library.constant("MAX_ERROR_STRING") + 1);
            final MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            final int unknown = (int) ERROR_STRING.invokeExact(code, text, length);
            return unknown != 0 ? "error " + code : text.getString(0);
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
