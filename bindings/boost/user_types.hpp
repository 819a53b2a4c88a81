/* Types of a user, in the two ways in which Boost.MPI sends them: as an MPI datatype, or serialised. */
#ifndef POLYMPI_BOOST_USER_TYPES_HPP
#define POLYMPI_BOOST_USER_TYPES_HPP

#include "placed.hpp"
#include "polympi_harness.h"

#include <boost/mpi/datatype.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bench {

/* As MPI datatypes. */

struct Byte {
    char value;

    template <class Archive> void serialize(Archive &archive, unsigned) { archive &value; }
};

struct Record {
    std::int64_t integer;
    double real;
    char text[8];

    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &integer;
        archive &real;
        archive &text;
    }
};

struct Nested {
    char name[8];
    std::int64_t integer;
    double rows[POLYMPI_NESTED_ROWS][POLYMPI_NESTED_ROWS];

    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &name;
        archive &integer;
        archive &rows;
    }
};

/* Serialised. */

template <class Values> struct Serialized {
    Values values;

    template <class Archive> void serialize(Archive &archive, unsigned) { archive &values; }
};

using SerializedBytes = Serialized<std::string>;
using SerializedArray = Serialized<Vector>;
using SerializedList = Serialized<std::vector<std::int64_t>>;
using SerializedMap = Serialized<std::map<std::string, double>>;

struct SerializedRecord {
    std::int64_t integer = 0;
    double real = 0;
    std::string text;

    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &integer;
        archive &real;
        archive &text;
    }
};

struct SerializedNested {
    std::string name;
    std::int64_t integer = 0;
    std::vector<std::vector<double>> rows;

    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &name;
        archive &integer;
        archive &rows;
    }
};

} // namespace bench

BOOST_IS_MPI_DATATYPE(bench::Byte)
BOOST_IS_MPI_DATATYPE(bench::Record)
BOOST_IS_MPI_DATATYPE(bench::Nested)

#endif
