/* Vectors in collectives, root 0: their lengths go first, then their doubles. */
#include "vectors.hpp"

#include <numeric>

namespace bench {
namespace {

/* How many doubles each rank has, and where they are in the row of all. */
struct Layout {
    explicit Layout(int ranks) : counts(static_cast<std::size_t>(ranks)), places(counts.size()) {}
    Layout(int ranks, int count) : Layout(ranks) {
        counts.assign(counts.size(), count);
        find_places();
    }

    void find_places() { std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0); }
    std::size_t total() const { return static_cast<std::size_t>(places.back() + counts.back()); }

    std::vector<int> counts;
    std::vector<int> places;
};

/* What arrives, and what a rank knows beforehand of the pieces that it sends. */
class Pieces final : public Case {
  public:
    Pieces(const Exchange &x, int arriving) : sent(x.ranks, x.count), received_(x, 1, arriving) {}
    void begin() override { received_.begin(); }
    void show() override { received_.show(); }
    Vector *received() { return received_.vectors.data(); }

    Layout sent;

  private:
    Received received_;
};

polympi_callbacks bcast(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, 1);
    Vector *received = owner->received();
    const auto root = [x] {
        int count = x.count;
        MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(x.outgoing, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    };
    const auto other = [received] {
        int count;
        MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        Vector values(static_cast<std::size_t>(count));
        MPI_Bcast(values.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        *received = std::move(values);
    };
    return together(x.rank, std::move(owner), root, other);
}

/* Lengths are equal on all ranks, so nothing has to tell them. */
polympi_callbacks reduce(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, 1);
    Vector *received = owner->received();
    const auto root = [x, received] {
        Vector sum(static_cast<std::size_t>(x.count));
        MPI_Reduce(x.outgoing, sum.data(), x.count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        *received = std::move(sum);
    };
    const auto other = [x] {
        MPI_Reduce(x.outgoing, nullptr, x.count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    };
    return together(x.rank, std::move(owner), root, other);
}

polympi_callbacks allreduce(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, 1);
    Vector *received = owner->received();
    return together(std::move(owner), [x, received] {
        Vector sum(static_cast<std::size_t>(x.count));
        MPI_Allreduce(x.outgoing, sum.data(), x.count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        *received = std::move(sum);
    });
}

polympi_callbacks gather(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, x.ranks);
    Vector *received = owner->received();
    const auto root = [x, received] {
        Layout layout(x.ranks);
        MPI_Gather(&x.count, 1, MPI_INT, layout.counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
        layout.find_places();
        Vector all(layout.total());
        MPI_Gatherv(x.outgoing, x.count, MPI_DOUBLE, all.data(), layout.counts.data(), layout.places.data(),
                    MPI_DOUBLE, 0, MPI_COMM_WORLD);
        *received = std::move(all);
    };
    const auto other = [x] {
        MPI_Gather(&x.count, 1, MPI_INT, nullptr, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gatherv(x.outgoing, x.count, MPI_DOUBLE, nullptr, nullptr, nullptr, MPI_DOUBLE, 0,
                    MPI_COMM_WORLD);
    };
    return together(x.rank, std::move(owner), root, other);
}

polympi_callbacks scatter(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, 1);
    Vector *received = owner->received();
    const Layout *sent = &owner->sent;
    const auto root = [x, received, sent] {
        int count;
        MPI_Scatter(sent->counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        Vector values(static_cast<std::size_t>(count));
        MPI_Scatterv(x.outgoing, sent->counts.data(), sent->places.data(), MPI_DOUBLE, values.data(), count,
                     MPI_DOUBLE, 0, MPI_COMM_WORLD);
        *received = std::move(values);
    };
    const auto other = [received] {
        int count;
        MPI_Scatter(nullptr, 1, MPI_INT, &count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        Vector values(static_cast<std::size_t>(count));
        MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DOUBLE, values.data(), count, MPI_DOUBLE, 0,
                     MPI_COMM_WORLD);
        *received = std::move(values);
    };
    return together(x.rank, std::move(owner), root, other);
}

polympi_callbacks allgather(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, x.ranks);
    Vector *received = owner->received();
    return together(std::move(owner), [x, received] {
        Layout layout(x.ranks);
        MPI_Allgather(&x.count, 1, MPI_INT, layout.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
        layout.find_places();
        Vector all(layout.total());
        MPI_Allgatherv(x.outgoing, x.count, MPI_DOUBLE, all.data(), layout.counts.data(),
                       layout.places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
        *received = std::move(all);
    });
}

polympi_callbacks alltoall(const Exchange &x) {
    auto owner = std::make_unique<Pieces>(x, x.ranks);
    Vector *received = owner->received();
    const Layout *sent = &owner->sent;
    return together(std::move(owner), [x, received, sent] {
        Layout layout(x.ranks);
        MPI_Alltoall(sent->counts.data(), 1, MPI_INT, layout.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
        layout.find_places();
        Vector all(layout.total());
        MPI_Alltoallv(x.outgoing, sent->counts.data(), sent->places.data(), MPI_DOUBLE, all.data(),
                      layout.counts.data(), layout.places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
        *received = std::move(all);
    });
}

} // namespace

polympi_callbacks vectors_of_all(const polympi_case &c, const Exchange &x) {
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return bcast(x);
    case POLYMPI_REDUCE:
        return reduce(x);
    case POLYMPI_ALLREDUCE:
        return allreduce(x);
    case POLYMPI_GATHER:
        return gather(x);
    case POLYMPI_SCATTER:
        return scatter(x);
    case POLYMPI_ALLGATHER:
        return allgather(x);
    default:
        return alltoall(x);
    }
}

} // namespace bench
