/* MPL: elements with layouts, single values, structs with reflection, and containers. */
#include "cases.hpp"
#include "program.hpp"

#include <cstdint>

namespace bench {
namespace {

const char *refuse(void *, const polympi_case *c) {
    if (c->payload == POLYMPI_MAP)
        return "MPL sends containers of elements of a fixed size, which strings do not have";
    if (c->payload != POLYMPI_ARRAY)
        return nullptr;
    if (c->kind != POLYMPI_PAIR)
        return "the collectives of MPL take elements with layouts, not containers";
    const bool posted = c->benchmark == POLYMPI_BANDWIDTH || c->benchmark == POLYMPI_BIBANDWIDTH ||
                        c->completion != POLYMPI_BLOCKING || c->send_mode == POLYMPI_READY ||
                        c->send_mode == POLYMPI_SENDRECV;
    return posted ? "a nonblocking transfer of a container would take another thread" : nullptr;
}

void prepare(void *, const polympi_case *c, const polympi_buffers *buffers, polympi_callbacks *callbacks) {
    *callbacks = callbacks_of(mpl::environment::comm_world(), *c, *buffers);
}

} // namespace
} // namespace bench

int main(int argc, char **argv) {
    const bench::Arguments arguments(argc, argv, {"mpl"});
    const std::int64_t began = polympi_now();
    mpl::environment::comm_world(); /* its first use starts MPI, which ends with the program */
    const std::int64_t started = polympi_now();
    return bench::run(arguments, began, started, {nullptr, bench::refuse, bench::prepare},
                      POLYMPI_OPT_IN(POLYMPI_STREAM));
}
