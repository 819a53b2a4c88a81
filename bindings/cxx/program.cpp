#include "program.hpp"

#include <algorithm>
#include <mpi.h>

namespace bench {
namespace {

std::string joined(const std::vector<std::string> &words) {
    std::string text = words.front();
    for (std::size_t i = 1; i < words.size(); i++)
        text += "|" + words[i];
    return text;
}

} // namespace

Arguments::Arguments(int argc, char **argv, const std::vector<std::string> &ways) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool named = words.size() == 5 && words[3] == "--name";
    if ((words.size() != 3 && !named) || std::find(ways.begin(), ways.end(), words[2]) == ways.end()) {
        complaint = "Usage: bench PLAN SAMPLES " + joined(ways) + " [--name NAME].";
        return;
    }
    plan = words[0];
    samples = words[1];
    way = words[2];
    name = named ? words[4] : way;
}

std::int32_t run(const Arguments &arguments, std::int64_t began, std::int64_t started,
                 const polympi_program &program, std::int64_t opted_in) {
    polympi_launch launch = {};
    launch.plan = arguments.plan.c_str();
    launch.samples = arguments.samples.c_str();
    launch.binding = arguments.name.c_str();
    launch.complaint = arguments.complaint.c_str();
    launch.opted_in = opted_in;
    launch.init_ns = started - began;
    MPI_Barrier(MPI_COMM_WORLD);
    launch.ready_ns = polympi_now();
    polympi_memory(&launch.pss_bytes, &launch.rss_bytes);
    return polympi_run(&launch, &program);
}

} // namespace bench
