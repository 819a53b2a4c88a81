/* Objects that the harness has put into a slot, and objects that arrived as the harness has them. */
#ifndef POLYMPI_BOOST_CONVERSIONS_HPP
#define POLYMPI_BOOST_CONVERSIONS_HPP

#include "placed.hpp"
#include "polympi_harness.h"

#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

/* One that has another length than the harness expects is not shown: what the check finds is no message. */
template <class Row> void show_row(const Row &row, void *slot, std::int64_t count) {
    if (static_cast<std::int64_t>(row.size()) == count)
        std::memcpy(slot, row.data(), row.size() * sizeof(*row.data()));
}

/* Numbers, and structs that the harness has, too. */
template <class T, class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
void from_slot(T &object, void *slot, const polympi_buffers &) {
    std::memcpy(&object, slot, sizeof object);
}

template <class T, class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
void to_slot(const T &object, void *slot, const polympi_buffers &) {
    std::memcpy(slot, &object, sizeof object);
}

inline void from_slot(std::string &object, void *slot, const polympi_buffers &buffers) {
    object.assign(static_cast<const char *>(slot), static_cast<std::size_t>(buffers.count));
}

inline void to_slot(const std::string &object, void *slot, const polympi_buffers &buffers) {
    show_row(object, slot, buffers.count);
}

inline void from_slot(std::vector<std::int64_t> &object, void *slot, const polympi_buffers &buffers) {
    const auto *first = static_cast<const std::int64_t *>(slot);
    object.assign(first, first + buffers.count);
}

inline void to_slot(const std::vector<std::int64_t> &object, void *slot, const polympi_buffers &buffers) {
    show_row(object, slot, buffers.count);
}

inline void from_slot(Vector &object, void *slot, const polympi_buffers &buffers) {
    object = vector_at(static_cast<double *>(slot), static_cast<std::size_t>(buffers.count));
}

inline void to_slot(const Vector &object, void *slot, const polympi_buffers &buffers) {
    show_row(object, slot, buffers.count);
}

} // namespace bench

#endif
