// Every rank says which it is: what a program needs before it does anything.
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>
#include <string>

int main(int argc, char **argv) {
    boost::mpi::environment environment(argc, argv);
    boost::mpi::communicator world;
    std::cout << "Hello from rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) +
                     "\n";
}
