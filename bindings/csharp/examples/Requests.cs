// Sends and receives that return at once, lists of them, and await.
// writes: 3 numbers from others: 300
// writes: awaited 1 and 2
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using MPI;

internal static class Requests
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, async comm =>
        {
            var list = new RequestList();
            var numbers = new List<ReceiveRequest<int>>();
            for (int rank = 0; rank < comm.Size; rank++)
            {
                numbers.Add(comm.ImmediateReceive<int>(rank, 0));
                list.Add(numbers[rank]);
                list.Add(comm.ImmediateSend(100, rank, 0));
            }
            list.WaitAll();
            int sum = 0;
            numbers.ForEach(number => sum += number.GetValue());
            if (comm.Rank == 0)
            {
                Console.WriteLine(numbers.Count + " numbers from others: " + sum);
                // Both receives are in flight; while one awaits, the other goes on.
                Task<string> first = Text(comm, 1), second = Text(comm, 2);
                Console.WriteLine("awaited " + await first + " and " + await second);
            }
            else
            {
                await comm.ImmediateSend(comm.Rank.ToString(), 0, 1);
            }
        });
    }

    private static async Task<string> Text(Communicator comm, int source) =>
        await comm.ImmediateReceive<string>(source, 1);
}
