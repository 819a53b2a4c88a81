package polympi.mpi;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;

/**
 * The library of the stack, and its constants.
 *
 * <p>A handle is an int in MPICH and an address in Open MPI. In Java it is a long: the method handles of functions
 * convert it, which costs nothing once they are compiled.
 */
@SuppressWarnings("restricted")
final class Library {
    /** The path of constants.c, compiled and linked with the stack's MPI library. */
    private static final String PROPERTY = "polympi.mpi.library";

    private static final SymbolLookup SYMBOLS =
            SymbolLookup.libraryLookup(Path.of(System.getProperty(PROPERTY)), Arena.global());
    private static final MethodHandle CONSTANT =
            link(
                    "polympi_java_constant",
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS));

    static final long HANDLE_BYTES = constant("sizeof MPI_Comm");
    static final MemorySegment STATUS_IGNORE = MemorySegment.ofAddress(constant("STATUS_IGNORE"));
    static final MemorySegment STATUSES_IGNORE = MemorySegment.ofAddress(constant("STATUSES_IGNORE"));

    private Library() {}

    private static MethodHandle link(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(SYMBOLS.find(name).orElseThrow(), descriptor);
    }

    /** A constant of MPI by its name without MPI_. */
    static long constant(String name) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment known = arena.allocate(ValueLayout.JAVA_INT);
            final long value = (long) CONSTANT.invokeExact(arena.allocateFrom(name), known);
            if (known.get(ValueLayout.JAVA_INT, 0) == 0) {
                throw new AssertionError("constants.c does not have " + name);
            }
            return value;
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** A function that returns an error code. Its arguments: A an address, I an int, L a long, H a handle. */
    static MethodHandle function(String name, String arguments) {
        final MemoryLayout[] inC = new MemoryLayout[arguments.length()];
        final Class<?>[] inJava = new Class<?>[arguments.length()];
        final boolean small = HANDLE_BYTES == Integer.BYTES;
        for (int i = 0; i < inC.length; i++) {
            final char kind = arguments.charAt(i);
            final AddressLayout address = ValueLayout.ADDRESS;
            final boolean half = kind == 'I' || kind == 'H' && small;
            inC[i] = kind == 'A' ? address : half ? ValueLayout.JAVA_INT : ValueLayout.JAVA_LONG;
            inJava[i] = kind == 'A' ? MemorySegment.class : kind == 'I' ? int.class : long.class;
        }
        return MethodHandles.explicitCastArguments(
                link(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, inC)), MethodType.methodType(int.class, inJava));
    }

    static long handleIn(MemorySegment place) {
        return HANDLE_BYTES == Integer.BYTES
                ? place.get(ValueLayout.JAVA_INT, 0)
                : place.get(ValueLayout.JAVA_LONG, 0);
    }

    static void putHandle(MemorySegment place, long handle) {
        if (HANDLE_BYTES == Integer.BYTES) {
            place.set(ValueLayout.JAVA_INT, 0, (int) handle);
        } else {
            place.set(ValueLayout.JAVA_LONG, 0, handle);
        }
    }
}
