package polympi.bench;

import java.lang.ref.WeakReference;

/** Java's heap as it is in a program that has run for a while. */
final class Heap {
    private static final int CHUNK = 1 << 16;

    private static byte[] last; // so that the compiler cannot leave the allocations out
    private static boolean used;

    private Heap() {}

    /**
     * Allocates until the young generation has been collected, once. The system gives a process each page at its first
     * use, which takes longer than a message; what is allocated after a collection lies on pages that were used.
     */
    static void use() {
        final WeakReference<Object> garbage = new WeakReference<>(new Object());
        final long most = used ? 0 : Runtime.getRuntime().maxMemory();
        for (long bytes = 0; bytes < most && !garbage.refersTo(null); bytes += CHUNK) {
            last = new byte[CHUNK];
        }
        last = null;
        used = true;
    }
}
