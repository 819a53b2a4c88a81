using System;
using MPI;

namespace Applications
{
    /// <summary>What the main programs have in common.</summary>
    internal static class Driver
    {
        /// <summary>Runs a program between the start and the end of MPI. Returns the exit code.</summary>
        /// <param name="args">The command line.</param>
        /// <param name="usage">What it may be.</param>
        /// <param name="options">What it is read into.</param>
        /// <param name="run">Solves, checks and reports; an exception that it throws on all ranks is a complaint.</param>
        public static int Run(string[] args, string usage, Options options, Func<Intracommunicator, int> run)
        {
            int code = 2;
            MPI.Environment.Run(args, comm =>
            {
                string complaint = "usage: " + usage;
                try
                {
                    if (options.Read(args))
                    {
                        code = run(comm);
                        complaint = code == 0 ? null : "The result is wrong.";
                    }
                }
                catch (Exception exception)
                    when (exception is ArgumentException || exception is InsufficientMemoryException)
                {
                    complaint = exception.Message;
                }
                if (complaint != null && comm.Rank == 0)
                {
                    Console.Error.WriteLine(complaint);
                }
            });
            return code;
        }

        /// <summary>How many ranks there are, in words.</summary>
        public static string Ranks(Communicator comm) => comm.Size + (comm.Size == 1 ? " rank" : " ranks");
    }
}
