package polympi.bench;

import static polympi.bench.Cases.ACKNOWLEDGEMENT_TAG;
import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Doubles;
import polympi.mpi.Requests;

/** Many messages in flight; a is rank 0 and b rank 1. */
final class Windows {
    private final Comm world;
    private final Datatype type;
    private final int count;
    private final MemorySegment[] outs;
    private final MemorySegment[] ins;
    private final MemorySegment acknowledgement;
    private final int rank;
    private final int peer;
    private final Arena arena = Arena.ofAuto();
    private final Requests requests;

    private final Buffers b;

    Windows(Comm world, Buffers b, Datatype type, int count) {
        this.b = b;
        this.world = world;
        this.type = type;
        this.count = count;
        outs = b.outs();
        ins = b.ins();
        acknowledgement = b.acknowledgement();
        rank = b.rank();
        peer = 1 - rank;
        requests = new Requests(arena, outs.length + ins.length);
    }

    Loops loops(Case c) {
        final Loops loops =
                Loops.of(
                        switch (c.benchmark()) {
                            case "bandwidth" -> rank == 0 ? this::bandwidthA : this::bandwidthB;
                            case "bibandwidth" -> this::bibandwidth;
                            default -> stream(c.send());
                        });
        if (c.send().equals("buffered")) {
            loops.attach(b);
        }
        return loops;
    }

    private Runnable stream(String mode) {
        if (mode.equals("ready")) {
            final Doubles.Send ready = world::rsend;
            return rank == 0 ? () -> readyStreamA(ready) : this::readyStreamB;
        }
        final Doubles.Send call = Loops.blocking(world, mode);
        return rank == 0 ? () -> sendAll(call) : this::streamB;
    }

    private void startSends(int from) {
        for (int i = 0; i < outs.length; i++) {
            world.isend(outs[i], count, type, peer, PAYLOAD_TAG, requests, from + i);
        }
    }

    private void postReceives() {
        for (int i = 0; i < ins.length; i++) {
            world.irecv(ins[i], count, type, peer, PAYLOAD_TAG, requests, i);
        }
    }

    private void acknowledge() {
        world.send(acknowledgement, 1, Datatype.BYTE, peer, ACKNOWLEDGEMENT_TAG);
    }

    private void awaitAcknowledgement() {
        world.recv(acknowledgement, 1, Datatype.BYTE, peer, ACKNOWLEDGEMENT_TAG);
    }

    private void bandwidthA() {
        startSends(0);
        requests.awaitAll();
        awaitAcknowledgement();
    }

    private void bandwidthB() {
        postReceives();
        requests.awaitAll();
        acknowledge();
    }

    private void bibandwidth() {
        postReceives();
        startSends(ins.length);
        requests.awaitAll();
    }

    private void sendAll(Doubles.Send call) {
        for (MemorySegment out : outs) {
            call.send(out, count, type, peer, PAYLOAD_TAG);
        }
        awaitAcknowledgement();
    }

    private void readyStreamA(Doubles.Send call) {
        awaitAcknowledgement();
        sendAll(call);
    }

    /** All receives are posted before the message that makes the other side send. */
    private void readyStreamB() {
        postReceives();
        acknowledge();
        requests.awaitAll();
        acknowledge();
    }

    private void streamB() {
        for (MemorySegment in : ins) {
            world.recv(in, count, type, peer, PAYLOAD_TAG);
        }
        acknowledge();
    }
}
