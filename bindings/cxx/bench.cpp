/* Raw MPI from C++: what the language costs, and its own objects. */
#include "applications.hpp"
#include "datatype.hpp"
#include "exchange.hpp"
#include "program.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {
namespace {

MPI_Datatype record_type() {
    const int lengths[3] = {1, 1, 8};
    const MPI_Aint places[3] = {offsetof(polympi_record, integer), offsetof(polympi_record, real),
                                offsetof(polympi_record, text)};
    const MPI_Datatype types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype type;
    MPI_Type_create_struct(3, lengths, places, types, &type);
    return type;
}

/* A struct of one char. */
MPI_Datatype byte_type() {
    const int length = 1;
    const MPI_Aint place = 0;
    const MPI_Datatype char_type = MPI_CHAR;
    MPI_Datatype type;
    MPI_Type_create_struct(1, &length, &place, &char_type, &type);
    return type;
}

/* What lasts from the start of MPI to its end. */
class Program {
  public:
    explicit Program(bool derived) : derived_(derived), record_(record_type()), byte_(byte_type()) {}

    const char *refuse(const polympi_case &c) const {
        if (c.payload == POLYMPI_MAP || c.payload == POLYMPI_NESTED)
            return "MPI sends no std::map: a user would copy it into something else first";
        if (derived_ && c.payload != POLYMPI_BYTES)
            return "this way sends bytes as a derived datatype, and nothing else";
        if (c.payload != POLYMPI_ARRAY)
            return nullptr;
        const bool posted = c.benchmark == POLYMPI_BANDWIDTH || c.benchmark == POLYMPI_BIBANDWIDTH ||
                            c.completion != POLYMPI_BLOCKING || c.send_mode == POLYMPI_READY ||
                            c.send_mode == POLYMPI_SENDRECV;
        return posted ? "a receive that is posted beforehand needs the length of the vector" : nullptr;
    }

    polympi_callbacks prepare(const polympi_case &c, const polympi_buffers &buffers) {
        if (c.payload == POLYMPI_PROBLEM)
            return application(c, buffers);
        requests_.resize(2 * static_cast<std::size_t>(buffers.window));
        const Exchange x(buffers, type_of(c.payload), requests_.data());
        if (c.payload == POLYMPI_ARRAY)
            return c.kind == POLYMPI_PAIR ? vectors_of_two(c, x) : vectors_of_all(c, x);
        if (c.benchmark == POLYMPI_LATENCY || c.benchmark == POLYMPI_PINGPONG_INT)
            return latency(c, x);
        if (c.benchmark == POLYMPI_FACES)
            return faces(c, x);
        if (c.benchmark == POLYMPI_DATATYPE)
            return layouts(c, x);
        if (c.benchmark == POLYMPI_OBJECT)
            return objects(c, x);
        if (c.benchmark == POLYMPI_RING)
            return ring(x);
        return c.kind == POLYMPI_PAIR ? windows(c, x) : collectives(c, x);
    }

  private:
    MPI_Datatype type_of(int payload) const {
        switch (payload) {
        case POLYMPI_FLOAT64:
        case POLYMPI_FLOAT:
            return MPI_DOUBLE;
        case POLYMPI_INT:
        case POLYMPI_LIST:
            return MPI_INT64_T;
        case POLYMPI_STRING:
            return MPI_CHAR;
        case POLYMPI_INT32:
            return MPI_INT32_T;
        case POLYMPI_DICT:
        case POLYMPI_INSTANCE:
            return record_.get();
        default:
            return derived_ ? byte_.get() : MPI_BYTE;
        }
    }

    bool derived_;
    Datatype record_;
    Datatype byte_;
    std::vector<MPI_Request> requests_;
};

const char *refuse(void *program, const polympi_case *c) {
    return static_cast<const Program *>(program)->refuse(*c);
}

void prepare(void *program, const polympi_case *c, const polympi_buffers *buffers,
             polympi_callbacks *callbacks) {
    *callbacks = static_cast<Program *>(program)->prepare(*c, *buffers);
}

} // namespace
} // namespace bench

int main(int argc, char **argv) {
    const bench::Arguments arguments(argc, argv, {"predefined", "derived"});
    int provided;
    const std::int64_t began = polympi_now();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    const std::int64_t started = polympi_now();
    auto program = std::make_unique<bench::Program>(arguments.way == "derived");
    const std::int32_t code =
        bench::run(arguments, began, started, {program.get(), bench::refuse, bench::prepare},
                   POLYMPI_OPT_IN(POLYMPI_STREAM) | bench::applications_opted_in);
    program.reset(); /* its datatypes are freed before MPI ends */
    MPI_Finalize();
    return code;
}
