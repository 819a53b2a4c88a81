package polympi.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;

/** The harness in C (polympi_harness.h), which calls this program back. */
@SuppressWarnings("restricted")
final class Harness {
    static final int PAIR = 0; // POLYMPI_PAIR
    static final int CYCLE = 3; // POLYMPI_CYCLE
    static final int APPLICATION = 4; // POLYMPI_APPLICATION
    static final int UNTIMED_CALLS = 3;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS =
            SymbolLookup.libraryLookup(Path.of(System.getProperty("polympi.harness.library")), Arena.global());
    private static final MethodHandle RUN = function("polympi_run", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle CLOCK = function("polympi_clock", JAVA_LONG);
    private static final MethodHandle AGREE = function("common_start_agree", JAVA_INT);
    private static final MethodHandle WAIT = function("common_start_wait", JAVA_LONG);
    private static final MethodHandle BENCHMARK = function("polympi_benchmark_name", ADDRESS, JAVA_INT);
    private static final MethodHandle NUMBER = function("polympi_benchmark_number", JAVA_INT, ADDRESS);
    private static final MethodHandle MODE = function("polympi_mode_name", ADDRESS, JAVA_INT);
    private static final MethodHandle PAYLOAD = function("polympi_payload_name", ADDRESS, JAVA_INT);

    private static Loops loops;
    private static boolean heldTogether;
    private static Cases cases;
    private static MemorySegment table; // struct polympi_callbacks, the same for all cases but applications
    private static MemorySegment ofApplications; // its last two, which others do not have

    private Harness() {}

    private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        final MemorySegment address = SYMBOLS.find(name).orElseThrow();
        return LINKER.downcallHandle(address, FunctionDescriptor.of(result, arguments));
    }

    private static void procedure(String name, MemorySegment first, MemorySegment second) throws Throwable {
        final MemorySegment address = SYMBOLS.find(name).orElseThrow();
        LINKER.downcallHandle(address, FunctionDescriptor.ofVoid(ADDRESS, ADDRESS)).invokeExact(first, second);
    }

    static int commonStartAgree() {
        try {
            return (int) AGREE.invokeExact();
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    static long commonStartWait() {
        try {
            return (long) WAIT.invokeExact();
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    static String benchmarkName(int number) {
        return name(BENCHMARK, number);
    }

    static String modeName(int number) {
        return name(MODE, number);
    }

    static String payloadName(int number) {
        return name(PAYLOAD, number);
    }

    private static String name(MethodHandle names, int number) {
        try {
            final MemorySegment text = (MemorySegment) names.invokeExact(number);
            return text.reinterpret(64).getString(0);
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Runs the plan after the first barrier; gives the exit code. A complaint about the command line comes first. */
    static int run(String plan, String samples, String binding, String complaint, long initNs, Cases all)
            throws Throwable {
        cases = all;
        final Arena arena = Arena.global();
        final MemorySegment launch = arena.allocate(88, Long.BYTES);
        final String[] texts = {plan, samples, binding, complaint};
        for (int i = 0; i < texts.length; i++) {
            launch.setAtIndex(ADDRESS, i, texts[i] == null ? MemorySegment.NULL : arena.allocateFrom(texts[i]));
        }
        launch.set(JAVA_LONG, 32, (long) CLOCK.invokeExact());
        launch.set(JAVA_LONG, 48, initNs);
        procedure("polympi_memory", launch.asSlice(56), launch.asSlice(64));
        launch.set(JAVA_LONG, 72, optedIn(arena));
        table = callbacks(arena);
        ofApplications = arena.allocate(ADDRESS, 2);
        ofApplications.setAtIndex(ADDRESS, 0, upcall("communication", JAVA_LONG, ADDRESS));
        ofApplications.setAtIndex(ADDRESS, 1, SYMBOLS.find("polympi_application_check").orElseThrow());
        final MemorySegment program = arena.allocate(24, Long.BYTES);
        program.set(ADDRESS, 8, upcall("refuse", ADDRESS, ADDRESS, ADDRESS));
        program.set(ADDRESS, 16, upcall("prepare", null, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
        return (int) RUN.invokeExact(launch, program);
    }

    /** Streams in other modes than the standard one, and applications. */
    private static long optedIn(Arena arena) throws Throwable {
        long bits = 1L << (int) NUMBER.invokeExact(arena.allocateFrom("stream"));
        for (String benchmark : Applications.BENCHMARKS) {
            bits |= 1L << (int) NUMBER.invokeExact(arena.allocateFrom(benchmark));
        }
        return bits;
    }

    private static MemorySegment callbacks(Arena arena) throws ReflectiveOperationException {
        final MemorySegment made = arena.allocate(ADDRESS, 7); // the first is a context, which none needs
        made.setAtIndex(ADDRESS, 1, upcall("begin", null, ADDRESS));
        made.setAtIndex(ADDRESS, 2, upcall("end", null, ADDRESS));
        made.setAtIndex(ADDRESS, 3, upcall("batch", null, ADDRESS, JAVA_INT));
        made.setAtIndex(ADDRESS, 4, upcall("singly", null, ADDRESS, JAVA_INT, ADDRESS));
        made.setAtIndex(ADDRESS, 5, upcall("show", null, ADDRESS));
        made.setAtIndex(ADDRESS, 6, upcall("release", null, ADDRESS));
        return made;
    }

    /** A static method of this class as a function of C. */
    private static MemorySegment upcall(String name, MemoryLayout result, MemoryLayout... arguments)
            throws ReflectiveOperationException {
        final FunctionDescriptor descriptor =
                result == null ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(result, arguments);
        final MethodType type = descriptor.toMethodType();
        final MethodHandle method = MethodHandles.lookup().findStatic(Harness.class, name, type);
        return LINKER.upcallStub(method, descriptor, Arena.global());
    }

    private static MemorySegment refuse(MemorySegment context, MemorySegment c) {
        final String reason = Case.read(c.reinterpret(56)).refusal();
        return reason == null ? MemorySegment.NULL : Arena.global().allocateFrom(reason);
    }

    private static void prepare(MemorySegment context, MemorySegment c, MemorySegment b, MemorySegment callbacks) {
        final Case asked = Case.read(c.reinterpret(56));
        heldTogether = asked.heldTogether();
        loops = cases.prepare(asked, Buffers.read(b.reinterpret(120)));
        final long common = table.byteSize();
        final MemorySegment all = callbacks.reinterpret(common + ofApplications.byteSize());
        all.copyFrom(table);
        if (loops.communication != null) {
            all.asSlice(common).copyFrom(ofApplications);
        }
    }

    private static void begin(MemorySegment context) {
        loops.begin.run();
    }

    private static void end(MemorySegment context) {
        loops.end.run();
    }

    private static void batch(MemorySegment context, int iterations) {
        loops.batch(iterations);
    }

    private static void singly(MemorySegment context, int iterations, MemorySegment ns) {
        final long[] times = new long[iterations];
        if (heldTogether) {
            loops.singly(times);
        } else {
            loops.fromCommonStart(times);
        }
        MemorySegment.copy(times, 0, ns.reinterpret(iterations * (long) Long.BYTES), JAVA_LONG, 0, iterations);
    }

    private static void show(MemorySegment context) {
        loops.show.run();
    }

    private static long communication(MemorySegment context) {
        return loops.communication.getAsLong();
    }

    private static void release(MemorySegment context) {
        loops.release.run();
        loops = null; // what the case held is garbage before the next one allocates
    }
}
