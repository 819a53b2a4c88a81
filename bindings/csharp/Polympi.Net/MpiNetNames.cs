using System;
using System.ComponentModel;

namespace MPI
{
    /// <content>Names that MPI.NET has in small letters, so that its programs compile.</content>
    public abstract partial class Communicator
    {
        /// <summary><see cref="World"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Intracommunicator world => World;

        /// <summary><see cref="Self"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Intracommunicator self => Self;

        /// <summary><see cref="AnySource"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static int anySource => AnySource;

        /// <summary><see cref="AnyTag"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static int anyTag => AnyTag;
    }

    /// <content>How programs of MPI.NET hand over their arguments.</content>
    public sealed partial class Environment
    {
        /// <summary>The same as <see cref="Run(string[], Action{Intracommunicator}, MPI.Threading)"/>.</summary>
        /// <param name="args">The arguments of the program, which stay as they are.</param>
        /// <param name="program">Called with all ranks.</param>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static void Run(ref string[] args, Action<Intracommunicator> program) => Run(args, program);
    }
}
