/* A vector of doubles like any other, except that the memory of one that is sent can be chosen.

   From one page on, the data of an array that is sent lie in the memory of the harness (docs/protocol.md,
   Buffers). All other vectors, those that arrive too, are on the heap. */
#ifndef POLYMPI_CXX_PLACED_HPP
#define POLYMPI_CXX_PLACED_HPP

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace bench {

template <class T> class Placed {
  public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    Placed() = default;
    explicit Placed(T *place) : place_(place) {}
    template <class U> explicit Placed(const Placed<U> &) {} /* memory for others is on the heap */

    T *allocate(std::size_t count) { return place_ ? place_ : std::allocator<T>().allocate(count); }
    void deallocate(T *memory, std::size_t count) {
        if (memory != place_)
            std::allocator<T>().deallocate(memory, count);
    }
    Placed select_on_container_copy_construction() const { return Placed(); }

    friend bool operator==(const Placed &one, const Placed &other) { return one.place_ == other.place_; }
    friend bool operator!=(const Placed &one, const Placed &other) { return !(one == other); }

  private:
    T *place_ = nullptr;
};

using Vector = std::vector<double, Placed<double>>;

/* A vector of what lies at `slot`, at that place if it fills a page. */
inline Vector vector_at(double *slot, std::size_t count) {
    constexpr std::size_t PAGE = 4096;
    const std::vector<double> values(slot, slot + count); /* which the new vector would overwrite */
    return Vector(values.begin(), values.end(),
                  Placed<double>(count * sizeof(double) >= PAGE ? slot : nullptr));
}

struct Sum {
    Vector operator()(const Vector &one, const Vector &other) const {
        Vector sum(one);
        for (std::size_t i = 0; i < sum.size(); i++)
            sum[i] += other[i];
        return sum;
    }
};

} // namespace bench

#endif
