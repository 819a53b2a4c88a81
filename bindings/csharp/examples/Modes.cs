// Buffered, synchronous and persistent sends.
// writes: buffered: 7 8
// writes: synchronous: done
// writes: persistent: 0 1 2
using System;
using MPI;

internal static class Modes
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            if (comm.Rank == 0)
            {
                MPI.Buffer.Attach(100 + MPI.Buffer.Overhead);
                comm.BufferedSend(new[] { 7, 8 }, 1, 0);
                MPI.Buffer.Detach(); // waits until the message has left
                comm.SynchronousSend("done", 1, 0);
                var memory = new int[1];
                using (PersistentRequest sending = comm.SendInit<int>(memory, 1, 0))
                {
                    for (memory[0] = 0; memory[0] < 3; memory[0]++)
                    {
                        sending.Start();
                        sending.Complete();
                    }
                }
            }
            else if (comm.Rank == 1)
            {
                Console.WriteLine("buffered: " + string.Join(" ", comm.Receive<int[]>(0, 0)));
                Console.WriteLine("synchronous: " + comm.Receive<string>(0, 0));
                string numbers = "";
                for (int i = 0; i < 3; i++)
                {
                    numbers += " " + comm.Receive<int>(0, 0);
                }
                Console.WriteLine("persistent:" + numbers);
            }
        });
    }
}
