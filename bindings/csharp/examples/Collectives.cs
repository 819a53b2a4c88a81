// Collective calls, with operations of MPI and with lambdas; arrays of different lengths.
// writes: sum 6, product 6
// writes: lengths 0 1 2
// writes: abc
using System;
using System.Linq;
using MPI;

internal static class Collectives
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            int sum = comm.Allreduce(comm.Rank + 1, Operation<int>.Add);
            int product = comm.Allreduce(comm.Rank + 1, (x, y) => x * y);
            double[][] jagged = comm.Gather(new double[comm.Rank], 0);
            string letters = comm.Reduce(((char)('a' + comm.Rank)).ToString(), (x, y) => x + y, 0);
            if (comm.Rank == 0)
            {
                Console.WriteLine("sum " + sum + ", product " + product);
                Console.WriteLine("lengths " + string.Join(" ", jagged.Select(array => array.Length)));
                Console.WriteLine(letters);
            }
        });
    }
}
