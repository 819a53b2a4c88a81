"""How ranks of two tests of the laboratory share the machine."""

from __future__ import annotations

from sharing import let_ranks_yield_beside_others

let_ranks_yield_beside_others()
