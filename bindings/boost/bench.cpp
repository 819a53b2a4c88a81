/* Boost.MPI: what it costs with types that MPI knows, with user-defined types as MPI datatypes, and with what
   it serialises. */
#if !__has_include(<boost/mpi.hpp>)
#error "Boost.MPI is missing: apt install libboost-mpi-dev"
#endif
#include "messages.hpp"
#include "program.hpp"

#include <cstdint>
#include <string>

namespace bench {
namespace {

using Prepare = polympi_callbacks (*)(const mpi::communicator &, const polympi_case &,
                                      const polympi_buffers &);

constexpr unsigned bit(int number) { return 1U << number; }

/* What a binding does of what Boost.MPI can do; the last three are sets, a bit each. */
struct Way {
    Prepare prepare;
    unsigned payloads;
    unsigned faces;
    unsigned layouts;
};

const unsigned ALL = ~0U;
const Way FUNDAMENTAL = {fundamental,
                         bit(POLYMPI_NONE) | bit(POLYMPI_BYTES) | bit(POLYMPI_FLOAT64) | bit(POLYMPI_INT32) |
                             bit(POLYMPI_INT) | bit(POLYMPI_FLOAT) | bit(POLYMPI_ARRAY) |
                             bit(POLYMPI_STRING) | bit(POLYMPI_LIST),
                         bit(POLYMPI_CONTIGUOUS), bit(POLYMPI_LAYOUT_CONTIGUOUS)};
const Way DATATYPE = {
    datatype, bit(POLYMPI_BYTES) | bit(POLYMPI_DICT) | bit(POLYMPI_NESTED) | bit(POLYMPI_INSTANCE), ALL, ALL};
const Way SERIALIZED = {serialized,
                        bit(POLYMPI_BYTES) | bit(POLYMPI_DICT) | bit(POLYMPI_ARRAY) | bit(POLYMPI_STRING) |
                            bit(POLYMPI_LIST) | bit(POLYMPI_MAP) | bit(POLYMPI_NESTED) |
                            bit(POLYMPI_INSTANCE),
                        0, 0};

struct Program {
    const mpi::communicator *world;
    const Way *way;
};

bool is_array_of_elements(const Way &way, const polympi_case &c) {
    return c.payload == POLYMPI_FLOAT64 || (c.payload == POLYMPI_BYTES && &way != &SERIALIZED);
}

const char *refuse(void *program, const polympi_case *c) {
    const Way &way = *static_cast<const Program *>(program)->way;
    if (c->benchmark == POLYMPI_FACES)
        return way.faces & bit(c->face) ? nullptr : "this way has no face of this kind";
    if (c->benchmark == POLYMPI_DATATYPE)
        return way.layouts & bit(c->layout) ? nullptr : "this way has no layout of this kind";
    if (!(way.payloads & bit(c->payload)))
        return "this way does not have this payload";
    if (c->send_mode == POLYMPI_SENDRECV)
        return is_array_of_elements(way, *c) ? "sendrecv takes one value, not an array" : nullptr;
    if (c->send_mode != POLYMPI_STANDARD || c->completion == POLYMPI_PERSISTENT)
        return "Boost.MPI has blocking and nonblocking standard sends only";
    return nullptr;
}

void prepare(void *program, const polympi_case *c, const polympi_buffers *buffers,
             polympi_callbacks *callbacks) {
    const Program &mine = *static_cast<const Program *>(program);
    *callbacks = mine.way->prepare(*mine.world, *c, *buffers);
}

const Way &way_named(const std::string &name) {
    if (name == "datatype")
        return DATATYPE;
    return name == "serialized" ? SERIALIZED : FUNDAMENTAL;
}

} // namespace
} // namespace bench

int main(int argc, char **argv) {
    const bench::Arguments arguments(argc, argv, {"fundamental", "datatype", "serialized"});
    const std::int64_t began = polympi_now();
    const boost::mpi::environment environment(argc, argv); /* ends MPI, too */
    const std::int64_t started = polympi_now();
    const boost::mpi::communicator world;
    bench::Program program = {&world, &bench::way_named(arguments.way)};
    return bench::run(arguments, began, started, {&program, bench::refuse, bench::prepare});
}
