/* The loops of two ranks and of a ring, for messages of a library with classes: MPL, KaMPIng. Ping and `a`
   are rank 0, pong and `b` rank 1.

   A class of messages has `peer`, which acknowledges, and sends the message in a slot in a mode
   (`send<Standard>(slot)`, `start` without waiting), receives it (`receive`, `post`), does both (`exchange`),
   and has a `Pool` of requests. A program defines the modes as classes of the library's calls. */
#ifndef POLYMPI_CXX_PAIRS_HPP
#define POLYMPI_CXX_PAIRS_HPP

#include "loops.hpp"

#include <optional>

namespace bench {

struct Standard;
struct Synchronous;
struct Buffered;
struct Ready; /* of which READY is true */

/* What a case in the mode buffered needs while it runs: memory for its messages. In other modes nothing. */
template <class Peer> class Attached : public Case {
  public:
    Attached(const polympi_case &c, const polympi_buffers &buffers, const Peer &peer)
        : peer(peer), buffered_(c.send_mode == POLYMPI_BUFFERED),
          memory_(static_cast<char *>(buffers.attached)), bytes_(static_cast<int>(buffers.attached_bytes)) {}

    void begin() override {
        if (buffered_)
            peer.attach(memory_, bytes_);
    }
    void end() override {
        if (buffered_)
            peer.detach();
    }

  protected:
    Peer peer;

  private:
    bool buffered_;
    char *memory_;
    int bytes_;
};

/* What a mode of latency needs around iterations: persistent requests, a receive posted ahead. */
template <class Mode, class Messages> class Latency final : public Attached<decltype(Messages::peer)> {
    using Base = Attached<decltype(Messages::peer)>;

  public:
    Latency(const polympi_case &c, const polympi_buffers &buffers, const Messages &m)
        : Base(c, buffers, m.peer), persistent_(c.completion == POLYMPI_PERSISTENT), rank_(buffers.rank),
          m_(m) {}

    void begin() override {
        Base::begin();
        if constexpr (Messages::PERSISTENT)
            if (persistent_) {
                sending.emplace(m_.template init<Mode>());
                receiving.emplace(m_.receive_init());
            }
        if constexpr (Mode::READY)
            begin_ready();
    }

    void end() override {
        if constexpr (Mode::READY)
            end_ready();
        sending.reset();
        receiving.reset();
        Base::end();
    }

    void post() { ahead.emplace(m_.post(0)); }

    std::optional<typename Messages::Persistent> sending;
    std::optional<typename Messages::Persistent> receiving;
    std::optional<typename Messages::Request>
        ahead; /* the receive that rank 1 posts ahead in the mode `ready` */

  private:
    /* Rank 1 posts its first receive and tells rank 0, which may send in the mode `ready` from then on. */
    void begin_ready() {
        if (rank_ == 0) {
            m_.peer.await_acknowledgement();
            return;
        }
        if (!persistent_)
            post();
        else if constexpr (Messages::PERSISTENT)
            receiving->start();
        m_.peer.acknowledge();
    }

    /* An empty message completes the receive that rank 1 has posted ahead and no iteration answers. */
    void end_ready() {
        if (rank_ == 0)
            m_.send_nothing();
        else if (!persistent_)
            ahead->wait();
        else if constexpr (Messages::PERSISTENT)
            receiving->wait();
    }

    bool persistent_;
    int rank_;
    Messages m_;
};

template <class Send, class Receive>
polympi_callbacks ping_pong(int rank, std::unique_ptr<Case> owner, Send send, Receive receive) {
    const auto ping = [send, receive] {
        send();
        receive();
    };
    const auto pong = [send, receive] {
        receive();
        send();
    };
    return pair(rank, std::move(owner), ping, pong);
}

/* In the mode `ready` every receive is posted before the message that makes the other side send. */
template <class Post, class Send, class Wait>
polympi_callbacks ready_ping_pong(int rank, std::unique_ptr<Case> owner, Post post, Send send, Wait wait) {
    const auto ping = [post, send, wait] {
        post();
        send();
        wait();
    };
    const auto pong = [post, send, wait] {
        wait();
        post();
        send();
    };
    return pair(rank, std::move(owner), ping, pong);
}

template <class Mode, class Messages>
polympi_callbacks persistent(int rank, std::unique_ptr<Latency<Mode, Messages>> owner) {
    auto *own = owner.get();
    const auto send = [own] {
        own->sending->start();
        own->sending->wait();
    };
    const auto start = [own] { own->receiving->start(); };
    const auto wait = [own] { own->receiving->wait(); };
    if constexpr (Mode::READY)
        return ready_ping_pong(rank, std::move(owner), start, send, wait);
    else
        return ping_pong(rank, std::move(owner), send, [start, wait] {
            start();
            wait();
        });
}

template <class Mode, class Messages>
polympi_callbacks in_mode(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    auto owner = std::make_unique<Latency<Mode, Messages>>(c, buffers, m);
    const auto send = [m] { m.template send<Mode>(0); };
    const auto start_and_wait = [m] { m.template start<Mode>(0).wait(); };
    if constexpr (Messages::PERSISTENT)
        if (c.completion == POLYMPI_PERSISTENT)
            return persistent(buffers.rank, std::move(owner));
    if constexpr (Mode::READY) {
        auto *own = owner.get();
        const auto post = [own] { own->post(); };
        const auto wait = [own] { own->ahead->wait(); };
        return c.completion == POLYMPI_NONBLOCKING
                   ? ready_ping_pong(buffers.rank, std::move(owner), post, start_and_wait, wait)
                   : ready_ping_pong(buffers.rank, std::move(owner), post, send, wait);
    } else {
        return c.completion == POLYMPI_NONBLOCKING
                   ? ping_pong(buffers.rank, std::move(owner), start_and_wait, [m] { m.post(0).wait(); })
                   : ping_pong(buffers.rank, std::move(owner), send, [m] { m.receive(0); });
    }
}

template <class Messages>
polympi_callbacks latency(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    const auto exchange = [m] { m.exchange(); };
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return in_mode<Synchronous>(c, buffers, m);
    case POLYMPI_BUFFERED:
        return in_mode<Buffered>(c, buffers, m);
    case POLYMPI_READY:
        return in_mode<Ready>(c, buffers, m);
    case POLYMPI_SENDRECV:
        return pair(buffers.rank, std::make_unique<Case>(), exchange, exchange);
    default:
        return in_mode<Standard>(c, buffers, m);
    }
}

template <class Messages> void start_sends(typename Messages::Pool &pool, int window, const Messages &m) {
    for (int i = 0; i < window; i++)
        m.template start_in<Standard>(pool, i);
}

template <class Messages> void post_receives(typename Messages::Pool &pool, int window, const Messages &m) {
    for (int i = 0; i < window; i++)
        m.post_in(pool, i);
}

/* A pool serves one window: it keeps the requests that are complete. */
template <class Messages> polympi_callbacks bandwidth(const polympi_buffers &buffers, const Messages &m) {
    const int window = buffers.window;
    const auto a = [m, window] {
        typename Messages::Pool pool;
        start_sends(pool, window, m);
        m.wait_all(pool);
        m.peer.await_acknowledgement();
    };
    const auto b = [m, window] {
        typename Messages::Pool pool;
        post_receives(pool, window, m);
        m.wait_all(pool);
        m.peer.acknowledge();
    };
    return pair(buffers.rank, std::make_unique<Case>(), a, b);
}

template <class Messages> polympi_callbacks bibandwidth(const polympi_buffers &buffers, const Messages &m) {
    const int window = buffers.window;
    const auto both = [m, window] {
        typename Messages::Pool pool;
        post_receives(pool, window, m);
        start_sends(pool, window, m);
        m.wait_all(pool);
    };
    return pair(buffers.rank, std::make_unique<Case>(), both, both);
}

template <class Mode, class Messages>
polympi_callbacks stream_in_mode(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    const int window = buffers.window;
    const auto a = [m, window] {
        if constexpr (Mode::READY)
            m.peer.await_acknowledgement(); /* all receives are posted */
        for (int i = 0; i < window; i++)
            m.template send<Mode>(i);
        m.peer.await_acknowledgement();
    };
    const auto b = [m, window] {
        if constexpr (Mode::READY) {
            typename Messages::Pool pool;
            post_receives(pool, window, m);
            m.peer.acknowledge();
            m.wait_all(pool);
        } else {
            for (int i = 0; i < window; i++)
                m.receive(i);
        }
        m.peer.acknowledge();
    };
    return pair(buffers.rank, std::make_unique<Attached<decltype(m.peer)>>(c, buffers, m.peer), a, b);
}

template <class Messages>
polympi_callbacks stream(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return stream_in_mode<Synchronous>(c, buffers, m);
    case POLYMPI_BUFFERED:
        return stream_in_mode<Buffered>(c, buffers, m);
    case POLYMPI_READY:
        return stream_in_mode<Ready>(c, buffers, m);
    default:
        return stream_in_mode<Standard>(c, buffers, m);
    }
}

template <class Messages>
polympi_callbacks pairs(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    switch (c.benchmark) {
    case POLYMPI_BANDWIDTH:
        return bandwidth(buffers, m);
    case POLYMPI_BIBANDWIDTH:
        return bibandwidth(buffers, m);
    case POLYMPI_STREAM:
        return stream(c, buffers, m);
    default:
        return latency(c, buffers, m);
    }
}

/* A message round all ranks: every rank but the first sends on what it received. */
template <class Messages> polympi_callbacks ring(const polympi_buffers &buffers, const Messages &m) {
    const auto begins = [m] {
        m.pass(m.outgoing);
        m.take();
    };
    const auto passes_on = [m] {
        m.take();
        m.pass(m.incoming);
    };
    return pair(buffers.rank, std::make_unique<Case>(), begins, passes_on);
}

} // namespace bench

#endif
