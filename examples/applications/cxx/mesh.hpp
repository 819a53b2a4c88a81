/* A mesh of ranks, with what each has of the axes. */
#ifndef APPLICATIONS_MESH_HPP
#define APPLICATIONS_MESH_HPP

#include <mpi.h>

#include <array>
#include <cstdint>

/* The ranks of a communicator in a mesh of three dimensions without periods. Collective to make and to
   destroy. */
class Mesh {
  public:
    explicit Mesh(MPI_Comm comm) {
        const std::array<int, 3> periods{};
        int ranks, rank;
        MPI_Comm_size(comm, &ranks);
        MPI_Dims_create(ranks, 3, dims_.data());
        MPI_Cart_create(comm, 3, dims_.data(), periods.data(), 0, &comm_);
        MPI_Comm_rank(comm_, &rank);
        MPI_Cart_coords(comm_, rank, 3, coords_.data());
        for (int axis = 0; axis < 3; axis++)
            MPI_Cart_shift(comm_, axis, 1, &neighbors_[2 * axis], &neighbors_[2 * axis + 1]);
    }
    Mesh(const Mesh &) = delete;
    Mesh &operator=(const Mesh &) = delete;
    ~Mesh() { MPI_Comm_free(&comm_); }

    MPI_Comm comm() const { return comm_; }
    /* On side 2 a the lower neighbour along axis a, on side 2 a + 1 the upper one, or MPI_PROC_NULL. */
    int neighbor(int side) const { return neighbors_[side]; }
    bool at_boundary(int side) const { return neighbors_[side] == MPI_PROC_NULL; }

    /* This rank's part of an axis, and where it begins: the first ranks get one more of what is left over. */
    std::int64_t count(int axis, std::int64_t edge) const {
        return edge / dims_[axis] + (coords_[axis] < edge % dims_[axis]);
    }
    std::int64_t start(int axis, std::int64_t edge) const {
        const std::int64_t more = edge % dims_[axis], before = coords_[axis];
        return edge / dims_[axis] * before + (before < more ? before : more);
    }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::array<int, 3> dims_{}, coords_{};
    std::array<int, 6> neighbors_{};
};

#endif
