/* Vectors as objects: who receives one learns from the message how long it is, and makes it. */
#ifndef POLYMPI_CXX_VECTORS_HPP
#define POLYMPI_CXX_VECTORS_HPP

#include "exchange.hpp"

#include <cstring>
#include <vector>

namespace bench {

using Vector = std::vector<double>;

/* The vectors that arrived last, for the check: each in its own slot, or the pieces of a collective in a
   row in the first one. A vector of the wrong length is not shown, and what the check finds is no message. */
class Received final : public Case {
  public:
    Received(const Exchange &x, int slots, int pieces)
        : vectors(static_cast<std::size_t>(slots)), incoming_(x.incoming), stride_(x.stride),
          length_(static_cast<std::size_t>(x.count) * static_cast<std::size_t>(pieces)) {}

    void begin() override {
        for (Vector &vector : vectors)
            vector = Vector();
    }

    void show() override {
        char *slot = incoming_;
        for (const Vector &vector : vectors) {
            if (vector.size() == length_)
                std::memcpy(slot, vector.data(), length_ * sizeof(double));
            slot += stride_;
        }
    }

    std::vector<Vector> vectors;

  private:
    char *incoming_;
    std::size_t stride_;
    std::size_t length_;
};

} // namespace bench

#endif
