using System;
using System.Linq;
using MPI;

namespace Tests
{
    /// <summary>Ranks that start others, which tell them what they have got.</summary>
    internal static class Spawning
    {
        private const int Started = 2;

        /// <summary>The arguments are the command that starts this program.</summary>
        public static void Parents(string[] args) => MPI.Environment.Run(args, comm =>
        {
            Expect.True(comm.Parent == null, "these were not spawned");
            string[] argv = args.Skip(2).Concat(new[] { "spawned", "Grüße" }).ToArray();
            int root = comm.Rank == 0 ? Intercommunicator.Root : Intercommunicator.Null;
            using (Intercommunicator children = comm.Spawn(args[1], argv, Started, 0))
            {
                Expect.Equal(Started, children.RemoteSize, "the number of children");
                string word = "word";
                children.Broadcast(ref word, root);
                string[] answers = children.Gather("", root);
                if (comm.Rank == 0)
                {
                    Expect.Same(new[] { "word Grüße 0 of 2", "word Grüße 1 of 2" }, answers, "what the children say");
                    Console.WriteLine("done spawn");
                }
                children.Barrier();
            }
        });

        public static void Children(string[] args) => MPI.Environment.Run(args, comm =>
        {
            string word = null;
            comm.Parent.Broadcast(ref word, 0);
            comm.Parent.Gather(word + " " + args[1] + " " + comm.Rank + " of " + comm.Size, 0);
            comm.Parent.Barrier();
            comm.Parent.Dispose();
        });
    }
}
