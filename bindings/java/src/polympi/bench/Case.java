package polympi.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** One case of the plan: struct polympi_case of the harness. The words are those of the catalogue. */
record Case(String benchmark, String send, String completion, String mode, String payload, int kind, long bytes) {
    static Case read(MemorySegment c) {
        final String mode = Harness.modeName(c.get(JAVA_INT, 20));
        final String[] words = mode.split("-", 2);
        return new Case(
                Harness.benchmarkName(c.get(JAVA_INT, 12)),
                words[0],
                words.length > 1 ? words[1] : "blocking",
                mode,
                Harness.payloadName(c.get(JAVA_INT, 36)),
                c.get(JAVA_INT, 16),
                c.get(JAVA_LONG, 0));
    }

    boolean is(String... benchmarks) {
        return Arrays.asList(benchmarks).contains(benchmark);
    }

    boolean pair() {
        return kind == Harness.PAIR;
    }

    /** Whether messages alone hold the ranks together, and no common start is needed. */
    boolean heldTogether() {
        return kind == Harness.PAIR || kind == Harness.CYCLE || kind == Harness.APPLICATION;
    }

    /** All but the size. */
    String family() {
        return benchmark + "/" + mode + "/" + payload;
    }

    /** Why the program cannot run it; null if it can. */
    String refusal() {
        if (!payload.equals("array")) {
            return null;
        }
        if (is("bandwidth", "bibandwidth") || send.equals("ready") || !completion.equals("blocking")) {
            return "the receive of an array whose length is not known cannot be posted before the message came";
        }
        return send.equals("sendrecv") ? "MPI_Sendrecv takes the length of what it receives" : null;
    }
}
