using System;
using System.Runtime.InteropServices;
using System.Security;

namespace MPI
{
    /// <summary>The functions of our library in C, which calls the MPI that it was compiled with.</summary>
    [SuppressUnmanagedCodeSecurity]
    internal static unsafe class Native
    {
        internal const string Library = "polympi_net";

        // What strings of MPI are written to.
        internal const int TextBytes = 16384;

        // Start, end, errors.
        [DllImport(Library, EntryPoint = "polympi_net_constants")]
        internal static extern void Constants(Constants* constants);
        [DllImport(Library, EntryPoint = "polympi_net_init")]
        internal static extern int Init(int wanted, int* provided);
        [DllImport(Library, EntryPoint = "polympi_net_initialized")]
        internal static extern int Initialized(out int flag);
        [DllImport(Library, EntryPoint = "polympi_net_finalized")]
        internal static extern int Finalized(out int flag);
        [DllImport(Library, EntryPoint = "polympi_net_finalize")]
        internal static extern int FinalizeMpi();
        [DllImport(Library, EntryPoint = "polympi_net_query_thread")]
        internal static extern int QueryThread(out int level);
        [DllImport(Library, EntryPoint = "polympi_net_is_thread_main")]
        internal static extern int IsThreadMain(out int flag);
        [DllImport(Library, EntryPoint = "polympi_net_abort")]
        internal static extern int Abort(IntPtr comm, int code);
        [DllImport(Library, EntryPoint = "polympi_net_wtime")]
        internal static extern double Wtime();
        [DllImport(Library, EntryPoint = "polympi_net_wtick")]
        internal static extern double Wtick();
        [DllImport(Library, EntryPoint = "polympi_net_processor_name")]
        internal static extern int ProcessorName(byte* text);
        [DllImport(Library, EntryPoint = "polympi_net_library_version")]
        internal static extern int LibraryVersion(byte* text);
        [DllImport(Library, EntryPoint = "polympi_net_error_string")]
        internal static extern int ErrorString(int error, byte* text);
        [DllImport(Library, EntryPoint = "polympi_net_error_class")]
        internal static extern int ErrorClass(int error);
        [DllImport(Library, EntryPoint = "polympi_net_largest_tag")]
        internal static extern int LargestTag(out int value, out int found);

        // Point to point.
        [DllImport(Library, EntryPoint = "polympi_net_send")]
        internal static extern int Send(void* message, int count, IntPtr type, int dest, int tag, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_send_as")]
        internal static extern int Send(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_start_send")]
        internal static extern int StartSend(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm, IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_prepare_send")]
        internal static extern int PrepareSend(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm, IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_irecv")]
        internal static extern int Irecv(
            void* message, int count, IntPtr type, int source, int tag, IntPtr comm, IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_recv_init")]
        internal static extern int RecvInit(
            void* message, int count, IntPtr type, int source, int tag, IntPtr comm, IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_recv")]
        internal static extern int Recv(
            void* message, int count, IntPtr type, int source, int tag, IntPtr comm, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_sendrecv")]
        internal static extern int Sendrecv(
            void* outgoing, int outgoingCount, IntPtr outgoingType, int dest, int sendTag,
            void* incoming, int incomingCount, IntPtr incomingType, int source, int receiveTag,
            IntPtr comm, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_probe")]
        internal static extern int Probe(int source, int tag, IntPtr comm, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_iprobe")]
        internal static extern int Iprobe(int source, int tag, IntPtr comm, out int flag, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_mprobe")]
        internal static extern int Mprobe(
            int source, int tag, IntPtr comm, IntPtr* message, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_mrecv")]
        internal static extern int Mrecv(void* message, int count, IntPtr type, IntPtr* taken);
        [DllImport(Library, EntryPoint = "polympi_net_wait")]
        internal static extern int Wait(IntPtr* request, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_test")]
        internal static extern int Test(IntPtr* request, int* flag, NativeStatus* status);
        [DllImport(Library, EntryPoint = "polympi_net_waitall")]
        internal static extern int Waitall(int count, IntPtr* requests, NativeStatus* statuses);
        [DllImport(Library, EntryPoint = "polympi_net_start")]
        internal static extern int Start(IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_cancel")]
        internal static extern int Cancel(IntPtr request);
        [DllImport(Library, EntryPoint = "polympi_net_request_free")]
        internal static extern int RequestFree(IntPtr* request);
        [DllImport(Library, EntryPoint = "polympi_net_buffer_attach")]
        internal static extern int BufferAttach(void* buffer, int bytes);
        [DllImport(Library, EntryPoint = "polympi_net_buffer_detach")]
        internal static extern int BufferDetach(void** buffer, int* bytes);

        // Address space.
        [DllImport(Library, EntryPoint = "polympi_net_reserve")]
        internal static extern void* Reserve(long* bytes);
        [DllImport(Library, EntryPoint = "polympi_net_trim")]
        internal static extern void Trim(void* reserved, long used, long bytes);
        [DllImport(Library, EntryPoint = "polympi_net_unreserve")]
        internal static extern void Unreserve(void* reserved, long bytes);

        // Collectives.
        [DllImport(Library, EntryPoint = "polympi_net_barrier")]
        internal static extern int Barrier(IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_bcast")]
        internal static extern int Bcast(void* message, int count, IntPtr type, int root, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_reduce")]
        internal static extern int Reduce(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr op, int root, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_allreduce")]
        internal static extern int Allreduce(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr op, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_scan")]
        internal static extern int Scan(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr op, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_exscan")]
        internal static extern int Exscan(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr op, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_reduce_scatter")]
        internal static extern int ReduceScatter(
            void* outgoing, void* incoming, int* counts, IntPtr type, IntPtr op, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_gather")]
        internal static extern int Gather(
            void* outgoing, void* incoming, int count, IntPtr type, int root, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_gatherv")]
        internal static extern int Gatherv(
            void* outgoing, int count, void* incoming, int* counts, int* places, IntPtr type, int root,
            IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_scatter")]
        internal static extern int Scatter(
            void* outgoing, void* incoming, int count, IntPtr type, int root, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_scatterv")]
        internal static extern int Scatterv(
            void* outgoing, int* counts, int* places, void* incoming, int count, IntPtr type, int root,
            IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_allgather")]
        internal static extern int Allgather(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_allgatherv")]
        internal static extern int Allgatherv(
            void* outgoing, int count, void* incoming, int* counts, int* places, IntPtr type, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_alltoall")]
        internal static extern int Alltoall(
            void* outgoing, void* incoming, int count, IntPtr type, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_alltoallv")]
        internal static extern int Alltoallv(
            void* outgoing, int* outgoingCounts, int* outgoingPlaces, void* incoming, int* incomingCounts,
            int* incomingPlaces, IntPtr type, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_op_create")]
        internal static extern int OpCreate(IntPtr function, int commutes, out IntPtr op);

        // Communicators, groups, datatypes.
        [DllImport(Library, EntryPoint = "polympi_net_comm_rank")]
        internal static extern int CommRank(IntPtr comm, out int rank);
        [DllImport(Library, EntryPoint = "polympi_net_comm_size")]
        internal static extern int CommSize(IntPtr comm, out int size);
        [DllImport(Library, EntryPoint = "polympi_net_comm_remote_size")]
        internal static extern int CommRemoteSize(IntPtr comm, out int size);
        [DllImport(Library, EntryPoint = "polympi_net_comm_return_errors")]
        internal static extern int CommReturnErrors(IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_comm_compare")]
        internal static extern int CommCompare(IntPtr a, IntPtr b, out int result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_dup")]
        internal static extern int CommDup(IntPtr comm, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_split")]
        internal static extern int CommSplit(IntPtr comm, int color, int key, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_split_shared")]
        internal static extern int CommSplitShared(IntPtr comm, int key, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_create")]
        internal static extern int CommCreate(IntPtr comm, IntPtr group, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_free")]
        internal static extern int CommFree(ref IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_intercomm_create")]
        internal static extern int IntercommCreate(
            IntPtr local, int localLeader, IntPtr peer, int remoteLeader, int tag, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_intercomm_merge")]
        internal static extern int IntercommMerge(IntPtr comm, int high, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_spawn")]
        internal static extern int CommSpawn(
            string command, string[] arguments, int count, int root, IntPtr comm, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_parent")]
        internal static extern int CommParent(out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_dims_create")]
        internal static extern int DimsCreate(int ranks, int count, [In, Out] int[] dims);
        [DllImport(Library, EntryPoint = "polympi_net_cart_create")]
        internal static extern int CartCreate(
            IntPtr comm, int count, int[] dims, int[] periods, int reorder, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_cart_rank")]
        internal static extern int CartRank(IntPtr comm, int[] coordinates, out int rank);
        [DllImport(Library, EntryPoint = "polympi_net_cart_coords")]
        internal static extern int CartCoords(IntPtr comm, int rank, int count, [In, Out] int[] coordinates);
        [DllImport(Library, EntryPoint = "polympi_net_cart_shift")]
        internal static extern int CartShift(
            IntPtr comm, int direction, int displacement, out int source, out int dest);
        [DllImport(Library, EntryPoint = "polympi_net_cart_sub")]
        internal static extern int CartSub(IntPtr comm, int[] remain, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_cart_map")]
        internal static extern int CartMap(IntPtr comm, int count, int[] dims, int[] periods, out int rank);
        [DllImport(Library, EntryPoint = "polympi_net_graph_create")]
        internal static extern int GraphCreate(
            IntPtr comm, int count, int[] index, int[] edges, int reorder, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_group")]
        internal static extern int CommGroup(IntPtr comm, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_comm_remote_group")]
        internal static extern int CommRemoteGroup(IntPtr comm, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_rank")]
        internal static extern int GroupRank(IntPtr group, out int rank);
        [DllImport(Library, EntryPoint = "polympi_net_group_size")]
        internal static extern int GroupSize(IntPtr group, out int size);
        [DllImport(Library, EntryPoint = "polympi_net_group_compare")]
        internal static extern int GroupCompare(IntPtr a, IntPtr b, out int result);
        [DllImport(Library, EntryPoint = "polympi_net_group_union")]
        internal static extern int GroupUnion(IntPtr a, IntPtr b, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_intersection")]
        internal static extern int GroupIntersection(IntPtr a, IntPtr b, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_difference")]
        internal static extern int GroupDifference(IntPtr a, IntPtr b, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_incl")]
        internal static extern int GroupIncl(IntPtr group, int count, int[] ranks, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_excl")]
        internal static extern int GroupExcl(IntPtr group, int count, int[] ranks, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_group_translate")]
        internal static extern int GroupTranslate(IntPtr from, int count, int[] ranks, IntPtr to, [In, Out] int[] result);
        [DllImport(Library, EntryPoint = "polympi_net_group_free")]
        internal static extern int GroupFree(ref IntPtr group);
        [DllImport(Library, EntryPoint = "polympi_net_type_commit")]
        internal static extern int TypeCommit(ref IntPtr type);
        [DllImport(Library, EntryPoint = "polympi_net_type_free")]
        internal static extern int TypeFree(ref IntPtr type);
        [DllImport(Library, EntryPoint = "polympi_net_type_struct")]
        internal static extern int TypeStruct(
            int count, int[] lengths, long[] places, IntPtr[] types, long extent, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_unpack")]
        internal static extern int Unpack(void* message, void* elements, long count, IntPtr element, IntPtr comm);
        [DllImport(Library, EntryPoint = "polympi_net_type_subarray")]
        internal static extern int TypeSubarray(
            int count, int[] sizes, int[] parts, int[] starts, IntPtr element, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_type_indexed")]
        internal static extern int TypeIndexed(
            int count, int[] lengths, int[] places, IntPtr element, out IntPtr result);
        [DllImport(Library, EntryPoint = "polympi_net_type_vector")]
        internal static extern int TypeVector(
            int count, int length, int stride, IntPtr element, out IntPtr result);
    }
}
