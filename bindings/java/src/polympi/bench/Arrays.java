package polympi.bench;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static polympi.bench.Cases.ACKNOWLEDGEMENT_TAG;
import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.MemorySegment;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Doubles;
import polympi.mpi.Op;

/** Arrays of double whose receiver does not know how long they are: each is received into a new one. */
final class Arrays {
    private final Comm world;
    private final Doubles doubles;
    private final Case c;
    private final Buffers b;
    private final double[][] sent;
    private double[][] received; // by the last iteration

    Arrays(Comm world, Doubles doubles, Case c, Buffers b) {
        this.world = world;
        this.doubles = doubles;
        this.c = c;
        this.b = b;
        received = new double[b.ins().length][];
        sent = new double[b.outs().length][b.count()];
        for (int i = 0; i < sent.length; i++) {
            MemorySegment.copy(b.outs()[i], JAVA_DOUBLE, 0, sent[i], 0, b.count());
        }
    }

    Loops loops() {
        final Loops loops =
                Loops.of(c.is("latency") ? latency() : c.is("stream") ? stream() : together());
        if (c.send().equals("buffered")) {
            loops.attach(b);
        }
        loops.show = this::show;
        return loops;
    }

    private void show() {
        if (c.is("bcast") && b.rank() == 0) {
            return; // it has sent the message
        }
        for (int i = 0; i < b.ins().length; i++) {
            MemorySegment.copy(received[i], 0, b.ins()[i], JAVA_DOUBLE, 0, received[i].length);
        }
        received = new double[b.ins().length][];
    }

    private Runnable latency() {
        final Doubles.Send call = Loops.blocking(world, c.send());
        final double[] array = sent[0];
        final int peer = 1 - b.rank();
        return b.rank() == 0
                ? () -> {
                    doubles.send(call, array, peer, PAYLOAD_TAG);
                    received[0] = doubles.recv(peer, PAYLOAD_TAG);
                }
                : () -> {
                    received[0] = doubles.recv(peer, PAYLOAD_TAG);
                    doubles.send(call, array, peer, PAYLOAD_TAG);
                };
    }

    private Runnable stream() {
        final Doubles.Send call = Loops.blocking(world, c.send());
        final MemorySegment acknowledgement = b.acknowledgement();
        return b.rank() == 0
                ? () -> {
                    for (double[] array : sent) {
                        doubles.send(call, array, 1, PAYLOAD_TAG);
                    }
                    world.recv(acknowledgement, 1, Datatype.BYTE, 1, ACKNOWLEDGEMENT_TAG);
                }
                : () -> {
                    for (int i = 0; i < received.length; i++) {
                        received[i] = doubles.recv(0, PAYLOAD_TAG);
                    }
                    world.send(acknowledgement, 1, Datatype.BYTE, 0, ACKNOWLEDGEMENT_TAG);
                };
    }

    private Runnable together() {
        final double[] array = sent.length == 0 ? null : sent[0];
        final boolean root = b.rank() == 0;
        return switch (c.benchmark()) {
            case "bcast" -> () -> keep(doubles.bcast(array, 0));
            case "reduce" -> () -> keep(doubles.reduce(array, Op.SUM, 0));
            case "allreduce" -> () -> keep(doubles.allreduce(array, Op.SUM));
            case "scatter" -> () -> keep(doubles.scatter(sent, 0));
            case "gather" -> () -> received = root ? doubles.gather(array, 0) : noArrays(array);
            case "allgather" -> () -> received = doubles.allgather(array);
            default -> () -> received = doubles.alltoall(sent);
        };
    }

    private double[][] noArrays(double[] array) {
        doubles.gather(array, 0);
        return received;
    }

    private void keep(double[] array) {
        if (received.length > 0) {
            received[0] = array;
        }
    }
}
