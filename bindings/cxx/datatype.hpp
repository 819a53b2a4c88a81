/* A derived datatype that is freed with the object that holds it. */
#ifndef POLYMPI_CXX_DATATYPE_HPP
#define POLYMPI_CXX_DATATYPE_HPP

#include <mpi.h>

namespace bench {

class Datatype {
  public:
    /* Takes a datatype that was made and not yet committed. */
    explicit Datatype(MPI_Datatype made) : type_(made) { MPI_Type_commit(&type_); }
    Datatype(const Datatype &) = delete;
    Datatype &operator=(const Datatype &) = delete;
    ~Datatype() { MPI_Type_free(&type_); }

    MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_;
};

} // namespace bench

#endif
