/* A face of the cube goes as its own datatype, in the loop of a plain ping-pong. */
#include "exchange.hpp"

namespace bench {
namespace {

MPI_Datatype face_of(const polympi_case &c, int edge) {
    const int cube[3] = {edge, edge, edge}, beginning[3] = {0, 0, 0};
    int face[3] = {edge, edge, edge};
    face[c.face] = 1;
    MPI_Datatype type;
    MPI_Type_create_subarray(3, cube, face, beginning, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

} // namespace

polympi_callbacks faces(const polympi_case &c, const Exchange &x) {
    if (c.face == POLYMPI_CONTIGUOUS)
        return latency(c, x); /* its doubles need no other description */
    return typed_ping_pong(face_of(c, x.edge), 1, x);
}

} // namespace bench
