package polympi.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static polympi.bench.Cases.PAYLOAD_TAG;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import polympi.mpi.Comm;
import polympi.mpi.Objects;

/** Objects of Java between two ranks: a String as its bytes, all others serialised. */
final class OwnObjects {
    private static final int NAME_BYTES = 8;
    private static final int ENTRY_BYTES = 16;
    private static final int ROWS = 4;

    private final Objects objects;
    private final Case c;
    private final Buffers b;
    private final int peer;
    private Object received; // by the last iteration

    OwnObjects(Comm world, Case c, Buffers b) {
        objects = new Objects(world);
        this.c = c;
        this.b = b;
        peer = 1 - b.rank();
    }

    Loops loops() {
        final Loops loops = c.payload().equals("string") ? texts() : serialized();
        loops.show =
                () -> {
                    if (received != null) {
                        show(b.in());
                    }
                    received = null;
                };
        return loops;
    }

    private Loops texts() {
        final String sent = text(b.out(), 0, (int) c.bytes());
        return Loops.of(
                b.rank() == 0
                        ? () -> {
                            objects.send(sent, peer, PAYLOAD_TAG);
                            received = objects.recvText(peer, PAYLOAD_TAG);
                        }
                        : () -> {
                            received = objects.recvText(peer, PAYLOAD_TAG);
                            objects.send(sent, peer, PAYLOAD_TAG);
                        });
    }

    private Loops serialized() {
        final Serializable sent =
                switch (c.payload()) {
                    case "list" -> list(b.out());
                    case "map" -> map(b.out());
                    case "nested" -> nested(b.out());
                    default -> Values.Named.read(b.out(), 0);
                };
        return Loops.of(
                b.rank() == 0
                        ? () -> {
                            objects.send(sent, peer, PAYLOAD_TAG);
                            received = objects.recv(peer, PAYLOAD_TAG);
                        }
                        : () -> {
                            received = objects.recv(peer, PAYLOAD_TAG);
                            objects.send(sent, peer, PAYLOAD_TAG);
                        });
    }

    private static String text(MemorySegment memory, long from, int bytes) {
        return new String(memory.asSlice(from, bytes).toArray(JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    private ArrayList<Long> list(MemorySegment memory) {
        final ArrayList<Long> list = new ArrayList<>();
        for (long at = 0; at < c.bytes(); at += Long.BYTES) {
            list.add(memory.get(JAVA_LONG, at));
        }
        return list;
    }

    private HashMap<String, Double> map(MemorySegment memory) {
        final HashMap<String, Double> map = new HashMap<>();
        for (long at = 0; at < c.bytes(); at += ENTRY_BYTES) {
            map.put(text(memory, at, NAME_BYTES), memory.get(JAVA_DOUBLE, at + NAME_BYTES));
        }
        return map;
    }

    private static HashMap<String, Object> nested(MemorySegment memory) {
        final ArrayList<List<Double>> rows = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            final ArrayList<Double> one = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                one.add(memory.get(JAVA_DOUBLE, ENTRY_BYTES + (row * ROWS + i) * (long) Double.BYTES));
            }
            rows.add(one);
        }
        final HashMap<String, Object> nested = new HashMap<>();
        nested.put("name", text(memory, 0, NAME_BYTES));
        nested.put("number", memory.get(JAVA_LONG, NAME_BYTES));
        nested.put("rows", rows);
        return nested;
    }

    /** Writes what arrived as C has it. An object of another length is none: it leaves the rest as it was. */
    private void show(MemorySegment memory) {
        switch (received) {
            case String text -> put(memory, 0, text);
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    memory.setAtIndex(JAVA_LONG, i, (Long) list.get(i));
                }
            }
            case Map<?, ?> nested when nested.containsKey("rows") -> showNested(memory, nested);
            case Map<?, ?> map -> showMap(memory, map);
            case Values.Named named -> named.write(memory, 0);
            default -> throw new IllegalStateException("nothing sends a " + received.getClass());
        }
    }

    private static void showMap(MemorySegment memory, Map<?, ?> map) {
        long at = 0;
        for (Map.Entry<?, ?> entry : new TreeMap<>(map).entrySet()) { // keys are numbered in order
            put(memory, at, (String) entry.getKey());
            memory.set(JAVA_DOUBLE, at + NAME_BYTES, (Double) entry.getValue());
            at += ENTRY_BYTES;
        }
    }

    private static void showNested(MemorySegment memory, Map<?, ?> nested) {
        put(memory, 0, (String) nested.get("name"));
        memory.set(JAVA_LONG, NAME_BYTES, (Long) nested.get("number"));
        long at = ENTRY_BYTES;
        for (Object row : (List<?>) nested.get("rows")) {
            for (Object value : (List<?>) row) {
                memory.set(JAVA_DOUBLE, at, (Double) value);
                at += Double.BYTES;
            }
        }
    }

    private static void put(MemorySegment memory, long at, String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, at, bytes.length);
    }
}
