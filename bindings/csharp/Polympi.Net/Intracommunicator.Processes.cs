using System;

namespace MPI
{
    /// <content>Processes that a running program starts.</content>
    public partial class Intracommunicator
    {
        private static Intercommunicator parent;

        /// <summary>The ranks that spawned this process and those of its World; null if it was not spawned.</summary>
        public Intercommunicator Parent
        {
            get
            {
                if (parent == null)
                {
                    Errors.Check(Native.CommParent(out IntPtr found));
                    parent = found == Constants.CommNull ? null : new Intercommunicator(found);
                }
                return parent;
            }
        }

        /// <summary>Starts processes, which share a new World; all ranks call it together.</summary>
        /// <remarks>If the program does not exist, Open MPI reports an error, but MPICH's MPI_Comm_spawn never
        /// returns: its launcher reports the failure, and the ranks wait for processes that do not start.</remarks>
        /// <param name="command">The program, on the root: with Mono or dotnet, these.</param>
        /// <param name="argv">The arguments of the program, on the root; null for none.</param>
        /// <param name="maxprocs">How many processes, on the root.</param>
        /// <param name="root">The rank that starts them.</param>
        /// <returns>The new ranks, which see those of this communicator as their <see cref="Parent"/>.</returns>
        public Intercommunicator Spawn(string command, string[] argv, int maxprocs, int root)
        {
            CheckRoot(root);
            var arguments = new string[(argv == null ? 0 : argv.Length) + 1]; // null is their end
            argv?.CopyTo(arguments, 0);
            Errors.Check(Native.CommSpawn(command, arguments, maxprocs, root, Handle, out IntPtr made));
            return new Intercommunicator(made);
        }
    }
}
