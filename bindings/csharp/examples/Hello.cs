// Start, ranks, and what is sent without a datatype or a count.
// writes: rank 0 of 3 got 2 from rank 2
// writes: rank 1 of 3 got 0 from rank 0
// writes: rank 2 of 3 got 1 from rank 1
using System;
using MPI;

internal static class Hello
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            int next = (comm.Rank + 1) % comm.Size, before = (comm.Rank + comm.Size - 1) % comm.Size;
            comm.SendReceive(comm.Rank, next, 0, before, 0, out int received);
            Console.WriteLine("rank " + comm.Rank + " of " + comm.Size + " got " + received + " from rank " + before);
        });
    }
}
