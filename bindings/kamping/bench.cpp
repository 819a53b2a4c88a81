/* KaMPIng: elements in given buffers, and vectors that its calls return. */
#include "cases.hpp"
#include "program.hpp"

#include <cstdint>
#include <kamping/environment.hpp>

namespace bench {
namespace {

const char *refuse(void *, const polympi_case *c) {
    if (c->completion == POLYMPI_PERSISTENT)
        return "KaMPIng has no persistent requests";
    if ((c->benchmark == POLYMPI_FACES && c->face != POLYMPI_CONTIGUOUS) ||
        (c->benchmark == POLYMPI_DATATYPE && c->layout != POLYMPI_LAYOUT_CONTIGUOUS))
        return "KaMPIng takes datatypes of such elements, and makes none";
    if (c->payload == POLYMPI_MAP)
        return "KaMPIng serialises a map with cereal, which this program is built without";
    if (c->payload != POLYMPI_ARRAY || c->kind != POLYMPI_PAIR)
        return nullptr;
    const bool posted = c->benchmark == POLYMPI_BANDWIDTH || c->benchmark == POLYMPI_BIBANDWIDTH ||
                        c->completion != POLYMPI_BLOCKING || c->send_mode == POLYMPI_READY ||
                        c->send_mode == POLYMPI_SENDRECV;
    return posted ? "a receive that is posted beforehand needs the length of the vector" : nullptr;
}

void prepare(void *world, const polympi_case *c, const polympi_buffers *buffers,
             polympi_callbacks *callbacks) {
    *callbacks = callbacks_of(*static_cast<const kamping::Communicator<> *>(world), *c, *buffers);
}

} // namespace
} // namespace bench

int main(int argc, char **argv) {
    const bench::Arguments arguments(argc, argv, {"kamping"});
    const std::int64_t began = polympi_now();
    const kamping::Environment<> environment(argc, argv); /* ends MPI, too */
    const std::int64_t started = polympi_now();
    kamping::Communicator<> world;
    return bench::run(arguments, began, started, {&world, bench::refuse, bench::prepare},
                      POLYMPI_OPT_IN(POLYMPI_STREAM));
}
