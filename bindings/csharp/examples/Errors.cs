// What goes wrong is an exception, and a wrong rank or tag never reaches MPI.
// writes: There is no rank 99 here: ranks are 0 to 2.
// writes: Truncate
using System;
using MPI;

internal static class Errors
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            if (comm.Rank != 0)
            {
                return;
            }
            try
            {
                comm.Send(1, 99, 0);
            }
            catch (ArgumentOutOfRangeException error)
            {
                Console.WriteLine(error.Message.Split('\n', '(')[0].Trim());
            }
            Request sending = comm.ImmediateSend(new[] { 1, 2, 3 }, 0, 0);
            try
            {
                comm.Receive(0, 0, new Span<int>(new int[2]));
            }
            catch (MessageTruncatedException error)
            {
                Console.WriteLine(error.ErrorClass);
            }
            sending.Wait();
        });
    }
}
