"""Third-party benchmarks, launched in the blocks of a run together with our C."""
