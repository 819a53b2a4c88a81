// Every rank says which it is: what a program needs before it does anything.
#include <iostream>
#include <kamping/communicator.hpp>
#include <kamping/environment.hpp>
#include <string>

int main(int argc, char **argv) {
    const kamping::Environment<> environment(argc, argv);
    const kamping::Communicator<> world;
    std::cout << "Hello from rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) +
                     "\n";
}
