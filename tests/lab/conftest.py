"""How ranks of two tests of the laboratory share the machine."""

from sharing import let_ranks_yield_beside_others

let_ranks_yield_beside_others()
