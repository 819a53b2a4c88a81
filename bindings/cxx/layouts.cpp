/* Messages whose elements do not lie side by side go as their own datatype, in the loop of a plain
   ping-pong. */
#include "datatype.hpp"
#include "exchange.hpp"
#include "loops.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {
namespace {

constexpr int GROUP = POLYMPI_LAYOUT_GROUP; /* elements that are sent, of each group (docs/protocol.md) */

/* The record of the layout `struct`. */
struct Particle {
    std::int64_t number;
    double mass;
    double own; /* stays */
    double place[2];
};

MPI_Datatype every_second(int elements) {
    MPI_Datatype type;
    MPI_Type_vector(elements, 1, 2, MPI_DOUBLE, &type);
    return type;
}

/* Blocks of one and of three elements, with one between them, and one behind. */
MPI_Datatype indexed(int groups) {
    std::vector<int> lengths, places;
    for (int i = 0; i < groups; i++) {
        const int group = i * (GROUP + 2);
        lengths.insert(lengths.end(), {1, GROUP - 1});
        places.insert(places.end(), {group, group + 2});
    }
    MPI_Datatype type;
    MPI_Type_indexed(2 * groups, lengths.data(), places.data(), MPI_DOUBLE, &type);
    return type;
}

MPI_Datatype particle() {
    const int lengths[3] = {1, 1, 2};
    const MPI_Aint places[3] = {offsetof(Particle, number), offsetof(Particle, mass),
                                offsetof(Particle, place)};
    const MPI_Datatype types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_DOUBLE};
    MPI_Datatype fields, type;
    MPI_Type_create_struct(3, lengths, places, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(Particle), &type);
    MPI_Type_free(&fields);
    return type;
}

MPI_Datatype contiguous(int elements) {
    MPI_Datatype type;
    MPI_Type_contiguous(elements, MPI_DOUBLE, &type);
    return type;
}

MPI_Datatype layout_of(const polympi_case &c, int elements) {
    switch (c.layout) {
    case POLYMPI_LAYOUT_VECTOR:
        return every_second(elements);
    case POLYMPI_LAYOUT_INDEXED:
        return indexed(elements / GROUP);
    case POLYMPI_LAYOUT_STRUCT:
        return particle();
    default:
        return contiguous(elements);
    }
}

/* Keeps a datatype as long as its case. */
class Typed final : public Case {
  public:
    explicit Typed(MPI_Datatype made) : type(made) {}
    Datatype type;
};

} // namespace

polympi_callbacks typed_ping_pong(MPI_Datatype made, int count, Exchange x) {
    auto typed = std::make_unique<Typed>(made);
    x.type = typed->type.get();
    x.count = count;
    return ping_pong(std::move(typed), x);
}

polympi_callbacks layouts(const polympi_case &c, const Exchange &x) {
    const int count = c.layout == POLYMPI_LAYOUT_STRUCT ? x.count / GROUP : 1;
    return typed_ping_pong(layout_of(c, x.count), count, x);
}

} // namespace bench
