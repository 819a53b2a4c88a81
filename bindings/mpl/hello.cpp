// Every rank says which it is: what a program needs before it does anything.
#include <iostream>
#include <mpl/mpl.hpp>
#include <string>

int main() {
    const mpl::communicator &world = mpl::environment::comm_world();
    std::cout << "Hello from rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) +
                     "\n";
}
