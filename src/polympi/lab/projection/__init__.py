"""What measured costs of bindings become with more ranks and another network: simulated with SimGrid's SMPI."""
