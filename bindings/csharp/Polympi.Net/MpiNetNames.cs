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
        /// <summary>Runs a program, and ends MPI if that is wanted.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static void Run(Action<Intracommunicator> program, bool cleanupEnvironment)
        {
            string[] args = new string[0];
            Run(ref args, program, cleanupEnvironment);
        }

        /// <summary>Runs a program, and ends MPI if that is wanted.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static void Run(ref string[] args, Action<Intracommunicator> program, bool cleanupEnvironment = true) =>
            Run(ref args, MPI.Threading.Serialized, program, cleanupEnvironment);

        /// <summary>Runs a program, and ends MPI if that is wanted.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static void Run(
            ref string[] args, Threading threading, Action<Intracommunicator> program, bool cleanupEnvironment = true)
        {
            NativeLoader.Prepare();
            Start(threading);
            OrAbort(() => program(Communicator.World));
            if (cleanupEnvironment)
            {
                End();
            }
        }
    }

    /// <content>How programs of MPI.NET ask for groups.</content>
    public sealed partial class Group
    {
        /// <summary>The group of nobody.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Group empty => new Group(Constants.GroupEmpty);
    }
}
