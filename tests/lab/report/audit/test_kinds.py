import pytest

from polympi.lab.report.audit import kinds

OF = {
    kinds.SEND: (
        "MPI_Send",
        "MPI_Isend",
        "MPI_Send_c",
        "MPI_Ssend_init",
        "MPI_Sendrecv",
        "MPI_Start",
        "MPI_Psend_init",
    ),
    kinds.RECEIVE: ("MPI_Recv", "MPI_Irecv", "MPI_Imrecv", "MPI_Probe", "MPI_Improbe", "MPI_Recv_init"),
    kinds.WAIT: ("MPI_Wait", "MPI_Waitall", "MPI_Testsome", "MPI_Test"),
    kinds.COLLECTIVE: (
        *("MPI_Barrier", "MPI_Iallreduce", "MPI_Allgatherv_c", "MPI_Neighbor_alltoallw", "MPI_Exscan"),
        *("MPI_Comm_split", "MPI_Reduce_scatter_block", "MPI_Init_thread", "MPI_Finalize"),
    ),
    kinds.ONE_SIDED: ("MPI_Put", "MPI_Rget_accumulate", "MPI_Win_fence", "MPI_Get"),
    kinds.FILES: ("MPI_File_write_all",),
    kinds.OTHER: ("MPI_Get_count", "MPI_Type_commit", "MPI_Test_cancelled", "MPI_Comm_rank", "MPI_Reduce_local"),
}


@pytest.mark.parametrize("kind", OF, ids=lambda kind: kind.name)
def test_a_procedure_is_of_the_kind_of_what_it_does(kind):
    assert {name: kinds.kind_of(name) for name in OF[kind]} == dict.fromkeys(OF[kind], kind)
