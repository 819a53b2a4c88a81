package polympi.bench;

import static polympi.bench.Cases.ACKNOWLEDGEMENT_TAG;
import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Requests;

/** Ping-pong in all ways to send. In the names of iterations ping is rank 0 and pong rank 1. */
final class Latency {
    /** Places of requests; in the mode ready AHEAD is the receive that is posted ahead. */
    private static final int SENDING = 0;

    private static final int AHEAD = 1;

    private final Comm world;
    private final Case c;
    private final Buffers b;
    private final Datatype type;
    private final int count;
    private final Values values;
    private final MemorySegment out;
    private final MemorySegment in;
    private final int peer;
    private final boolean objects;
    private final Arena arena = Arena.ofAuto();
    private final Requests requests = new Requests(arena, 2);

    Latency(Comm world, Case c, Buffers b, Datatype type, int count, Values values) {
        this.world = world;
        this.c = c;
        this.b = b;
        this.type = type;
        this.count = count;
        this.values = values;
        objects = values != Values.NONE;
        out = objects ? values.out() : b.out();
        in = objects ? values.in() : b.in();
        peer = 1 - b.rank();
    }

    Loops loops() {
        final Loops loops = Loops.of(iteration());
        if (c.completion().equals("persistent")) {
            persistent(loops);
        }
        if (c.send().equals("ready")) {
            ready(loops);
        }
        if (c.send().equals("buffered")) {
            loops.attach(b);
        }
        return loops;
    }

    private Runnable iteration() {
        final boolean first = b.rank() == 0;
        if (c.send().equals("sendrecv")) {
            return exchanging(() -> world.sendrecv(out, in, count, type, peer, PAYLOAD_TAG));
        }
        final Runnable send = sending();
        final boolean persistent = c.completion().equals("persistent");
        if (c.send().equals("ready")) {
            final Runnable post = persistent ? () -> requests.start(AHEAD) : this::post;
            return first ? readyPing(send, post) : readyPong(send, post);
        }
        final Runnable receive = receiving();
        return first ? both(send, receive) : both(receive, send);
    }

    private static Runnable both(Runnable one, Runnable other) {
        return () -> {
            one.run();
            other.run();
        };
    }

    /** A call that sends and receives, with the values of Java before and after it. */
    private Runnable exchanging(Runnable call) {
        return !objects
                ? call
                : () -> {
                    values.write();
                    call.run();
                    values.read();
                };
    }

    private Runnable sending() {
        final Runnable call =
                switch (c.completion()) {
                    case "blocking" -> blocking();
                    case "nonblocking" -> nonblocking();
                    default -> () -> {
                        requests.start(SENDING);
                        requests.await(SENDING);
                    };
                };
        return objects ? both(values::write, call) : call;
    }

    private Runnable receiving() {
        final Runnable call =
                switch (c.completion()) {
                    case "blocking" -> () -> world.recv(in, count, type, peer, PAYLOAD_TAG);
                    case "nonblocking" -> () -> {
                        post();
                        requests.await(AHEAD);
                    };
                    default -> () -> {
                        requests.start(AHEAD);
                        requests.await(AHEAD);
                    };
                };
        return objects ? both(call, values::read) : call;
    }

    private Runnable blocking() {
        return switch (c.send()) {
            case "standard" -> () -> world.send(out, count, type, peer, PAYLOAD_TAG);
            case "synchronous" -> () -> world.ssend(out, count, type, peer, PAYLOAD_TAG);
            case "buffered" -> () -> world.bsend(out, count, type, peer, PAYLOAD_TAG);
            default -> () -> world.rsend(out, count, type, peer, PAYLOAD_TAG);
        };
    }

    private Runnable nonblocking() {
        return switch (c.send()) {
            case "standard" -> () -> {
                world.isend(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                requests.await(SENDING);
            };
            case "synchronous" -> () -> {
                world.issend(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                requests.await(SENDING);
            };
            case "buffered" -> () -> {
                world.ibsend(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                requests.await(SENDING);
            };
            default -> () -> {
                world.irsend(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                requests.await(SENDING);
            };
        };
    }

    private void post() {
        world.irecv(in, count, type, peer, PAYLOAD_TAG, requests, AHEAD);
    }

    /** Every receive is posted before the message that makes the other side send. */
    private Runnable readyPing(Runnable send, Runnable post) {
        return () -> {
            post.run();
            send.run();
            requests.await(AHEAD);
            values.read();
        };
    }

    private Runnable readyPong(Runnable send, Runnable post) {
        return () -> {
            requests.await(AHEAD);
            values.read();
            post.run();
            send.run();
        };
    }

    private void persistent(Loops loops) {
        loops.begin =
                () -> {
                    switch (c.send()) {
                        case "standard" -> world.sendInit(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                        case "synchronous" -> world.ssendInit(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                        case "buffered" -> world.bsendInit(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                        default -> world.rsendInit(out, count, type, peer, PAYLOAD_TAG, requests, SENDING);
                    }
                    world.recvInit(in, count, type, peer, PAYLOAD_TAG, requests, AHEAD);
                };
        loops.end =
                () -> {
                    requests.free(SENDING);
                    requests.free(AHEAD);
                };
    }

    /** Rank 1 posts its first receive and tells rank 0; an empty message completes its last one. */
    private void ready(Loops loops) {
        final Runnable post = c.completion().equals("persistent") ? () -> requests.start(AHEAD) : this::post;
        final MemorySegment empty = b.empty();
        if (b.rank() == 0) {
            loops.begin =
                    both(loops.begin, () -> world.recv(empty, 0, Datatype.BYTE, peer, ACKNOWLEDGEMENT_TAG));
            loops.end = both(() -> world.send(empty, 0, type, peer, PAYLOAD_TAG), loops.end);
        } else {
            final Runnable tell = () -> world.send(empty, 0, Datatype.BYTE, peer, ACKNOWLEDGEMENT_TAG);
            loops.begin = both(loops.begin, both(post, tell));
            loops.end = both(() -> requests.await(AHEAD), loops.end);
        }
    }
}
