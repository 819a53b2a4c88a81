/* The wave equation in C++: mpiexec -n 2 ./wave [--mesh POINTS] [--steps NUMBER] [--overlapped] */
#include "driver.hpp"
#include "wave.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace {

const std::string USAGE = "wave [--mesh POINTS] [--steps NUMBER] [--overlapped]";

/* The largest differences of this rank's part from the closed form of the scheme and from the wave itself. */
std::array<double, 2> errors_of(const Part &part, std::int64_t edge, std::int64_t steps) {
    const double pi = std::acos(-1.0), h = 1 / static_cast<double>(edge - 1), dt = Wave::time_step(edge);
    const auto count = static_cast<double>(steps);
    const double scheme = std::cos(count * std::acos(1 + 3 * dt * dt / (h * h) * (std::cos(pi * h) - 1)));
    const double exact = std::cos(std::sqrt(3) * pi * count * dt);
    const auto cosine = [&](int axis, std::int64_t i) {
        return std::cos(pi * static_cast<double>(part.start[axis] + i) * h);
    };
    std::array<double, 2> errors{};
    for (std::int64_t i = 0; i < part.count[0]; i++)
        for (std::int64_t j = 0; j < part.count[1]; j++) {
            const double *row = part.values + i * part.stride[0] + j * part.stride[1];
            const double two = 2 * cosine(0, i) * cosine(1, j);
            for (std::int64_t k = 0; k < part.count[2]; k++) {
                const double shape = two * cosine(2, k), u = row[k * part.stride[2]];
                errors[0] = std::max(errors[0], std::abs(u - shape * scheme));
                errors[1] = std::max(errors[1], std::abs(u - shape * exact));
            }
        }
    return errors;
}

/* Makes the steps, and says how long they took and how exact they are. Whether they are. */
bool run(Wave &wave, std::int64_t edge, std::int64_t steps, bool overlapped) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    wave.advance(steps);
    const double seconds = MPI_Wtime() - begun;
    const std::array<double, 2> errors = errors_of(wave.part(), edge, steps);
    std::array<double, 4> most = {seconds, static_cast<double>(wave.communication_ns()) * 1e-9, errors[0],
                                  errors[1]}; /* of this rank, then the largest of all */
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        const double points = std::pow(static_cast<double>(edge), 3), dx = 1 / static_cast<double>(edge - 1);
        std::printf("%lld^3 points, %lld steps, %d rank%s, %s\n", static_cast<long long>(edge),
                    static_cast<long long>(steps), ranks, ranks == 1 ? "" : "s",
                    overlapped ? "overlapped" : "blocking");
        std::printf("%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange\n", most[0],
                    1e-6 * points * static_cast<double>(steps) / most[0], 100 * most[1] / most[0]);
        std::printf(
            "largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave\n",
            most[2], most[3], most[3] / (dx * dx));
    }
    return most[2] < 1e-11;
}

bool solve(Options &options) {
    const std::int64_t edge = options.numbers["--mesh"], given = options.numbers["--steps"];
    const bool overlapped = options.flags["--overlapped"];
    if (edge < 2)
        throw Refused("usage: " + USAGE);
    try {
        Wave wave(MPI_COMM_WORLD, edge, overlapped);
        const auto to_time_2 = static_cast<std::int64_t>(std::ceil(2 / Wave::time_step(edge)));
        return run(wave, edge, given ? given : to_time_2, overlapped);
    } catch (const std::invalid_argument &) {
        throw Refused(
            "The mesh is too small for the ranks, or too large: each needs 3 points along each axis, "
            "and 46338 at most.");
    }
}

} // namespace

int main(int words, char **word) {
    return driver_main(words, word, USAGE, {{{"--mesh", 129}, {"--steps", 0}}, {{"--overlapped", false}}},
                       solve);
}
