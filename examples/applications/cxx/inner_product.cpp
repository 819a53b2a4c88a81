#include "inner_product.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>

namespace {

/* A compiler may not reorder additions, so the sum is made of `lanes` sums, which vectors hold. */
double multiply(const std::vector<double> &x, const std::vector<double> &y) {
    constexpr std::size_t lanes = 32;
    std::array<double, lanes> sums{};
    const std::size_t whole = x.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
        for (std::size_t lane = 0; lane < lanes; lane++)
            sums[lane] += x[i + lane] * y[i + lane];
    const double rest = std::inner_product(x.begin() + static_cast<std::ptrdiff_t>(whole), x.end(),
                                           y.begin() + static_cast<std::ptrdiff_t>(whole), 0.0);
    return std::accumulate(sums.begin(), sums.end(), rest);
}

} // namespace

InnerProduct::InnerProduct(MPI_Comm comm, std::int64_t length) : comm_(comm) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank_);
    const std::int64_t more = length % ranks, count = length / ranks + (rank_ < more);
    const std::int64_t start = length / ranks * rank_ + std::min<std::int64_t>(rank_, more);
    bool made = true;
    try {
        x_.resize(static_cast<std::size_t>(count));
        y_.resize(static_cast<std::size_t>(count));
    } catch (const std::bad_alloc &) {
        made = false;
    } catch (const std::length_error &) {
        made = false;
    }
    if (!everywhere(comm, made))
        throw std::bad_alloc();
    for (std::int64_t i = 0; i < count; i++) {
        const auto number = static_cast<double>(start + i + 1);
        x_[static_cast<std::size_t>(i)] = 1 / number;
        y_[static_cast<std::size_t>(i)] = number * static_cast<double>(1 + (start + i) % 3);
    }
}

void InnerProduct::advance(std::int64_t iterations) {
    for (; iterations > 0; iterations--) {
        const double mine = multiply(x_, y_);
        const Stopwatch stopwatch(communication_ns_);
        MPI_Reduce(&mine, &value_, 1, MPI_DOUBLE, MPI_SUM, 0, comm_);
    }
}

Part InnerProduct::part() const { return {&value_, {}, {rank_ == 0 ? 1 : 0, 1, 1}, {1, 0, 0}}; }
