/* The timed loops of a case, made of one iteration: an object that is called without arguments.

   The iteration is copied into the loop, so that the compiler keeps in registers what it needs. */
#ifndef POLYMPI_CXX_LOOPS_HPP
#define POLYMPI_CXX_LOOPS_HPP

#include "polympi_harness.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace bench {

/* What a case has with its loops: memory that lasts as long as it, and something to do around its series
   of iterations. */
class Case {
  public:
    Case() = default;
    Case(const Case &) = delete;
    Case &operator=(const Case &) = delete;
    virtual ~Case() = default;

    virtual void begin() {} /* before a series of iterations, and before a validation */
    virtual void end() {}   /* after it */
    virtual void show() {} /* writes the objects that arrived into the buffer of the harness, for the check */
};

template <class Iteration> struct Prepared {
    std::unique_ptr<Case> owner;
    Iteration iteration;
};

template <class Iteration> void batch(void *context, std::int32_t iterations) {
    const Iteration iteration = static_cast<const Prepared<Iteration> *>(context)->iteration;
    for (std::int32_t i = 0; i < iterations; i++)
        iteration();
}

/* Of two ranks. */
template <class Iteration> void singly(void *context, std::int32_t iterations, std::int64_t *ns) {
    const Iteration iteration = static_cast<const Prepared<Iteration> *>(context)->iteration;
    for (std::int32_t i = 0; i < iterations; i++) {
        const std::int64_t start = polympi_now();
        iteration();
        ns[i] = polympi_now() - start;
    }
}

/* Of all ranks, from a common start: an iteration that a rank began too late is made again. */
template <class Iteration> void singly_together(void *context, std::int32_t iterations, std::int64_t *ns) {
    const Iteration iteration = static_cast<const Prepared<Iteration> *>(context)->iteration;
    common_start_agree();
    for (std::int32_t i = 0; i < iterations;) {
        for (int k = 0; k < UNTIMED_CALLS; k++)
            iteration();
        const std::int64_t start = common_start_wait();
        iteration();
        ns[i] = polympi_now() - start;
        i += common_start_agree();
    }
}

template <class Iteration>
polympi_callbacks callbacks(std::unique_ptr<Case> owner, Iteration iteration,
                            void (*timed)(void *, std::int32_t, std::int64_t *)) {
    using Mine = Prepared<Iteration>;
    polympi_callbacks made = {};
    made.context = new Mine{std::move(owner), std::move(iteration)};
    made.begin = [](void *context) { static_cast<Mine *>(context)->owner->begin(); };
    made.end = [](void *context) { static_cast<Mine *>(context)->owner->end(); };
    made.batch = batch<Iteration>;
    made.singly = timed;
    made.show = [](void *context) { static_cast<Mine *>(context)->owner->show(); };
    made.release = [](void *context) { delete static_cast<Mine *>(context); };
    return made;
}

/* The callbacks of a rank in a point-to-point benchmark: rank 0 iterates `a`, and rank 1 `b`. */
template <class A, class B> polympi_callbacks pair(int rank, std::unique_ptr<Case> owner, A a, B b) {
    return rank == 0 ? callbacks(std::move(owner), std::move(a), singly<A>)
                     : callbacks(std::move(owner), std::move(b), singly<B>);
}

/* The callbacks of a rank of a collective. */
template <class Iteration> polympi_callbacks together(std::unique_ptr<Case> owner, Iteration iteration) {
    return callbacks(std::move(owner), std::move(iteration), singly_together<Iteration>);
}

/* Likewise, where the root makes another call than the other ranks. */
template <class Root, class Other>
polympi_callbacks together(int rank, std::unique_ptr<Case> owner, Root root, Other other) {
    return rank == 0 ? together(std::move(owner), std::move(root))
                     : together(std::move(owner), std::move(other));
}

} // namespace bench

#endif
