// Communicators of some ranks, and ranks on a grid.
// writes: rank 0 is 0 of 2 even ranks
// writes: rank 1 is 0 of 1 odd ranks
// writes: rank 2 is 1 of 2 even ranks
// writes: right of 0 is 1
// writes: right of 1 is 2
// writes: right of 2 is 0
using System;
using MPI;

internal static class Communicators
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            using (Intracommunicator half = comm.Split(comm.Rank % 2))
            {
                Console.WriteLine("rank " + comm.Rank + " is " + half.Rank + " of " + half.Size
                    + (comm.Rank % 2 == 0 ? " even" : " odd") + " ranks");
            }
            using (CartesianCommunicator ring = CartesianCommunicator.Create(comm, new[] { comm.Size }, new[] { true }))
            {
                ring.Shift(0, 1, out int left, out int right);
                Console.WriteLine("right of " + ring.Rank + " is " + right);
            }
        });
    }
}
