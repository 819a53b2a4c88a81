using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace MPI
{
    /// <summary>Starts and ends MPI, and tells about it.</summary>
    public sealed unsafe partial class Environment : IDisposable
    {
        private static int largestTag = 32767; // the least that the standard promises
        private static int open; // environments that were not disposed of

        private bool isOpen;

        /// <summary>Starts MPI if it was not started; <see cref="Dispose"/> of the first environment ends it.</summary>
        /// <param name="args">The arguments of the program, which stay as they are.</param>
        /// <param name="threading">How many threads may call MPI; MPI may allow fewer (<see cref="Threading"/>).</param>
        public Environment(ref string[] args, Threading threading = MPI.Threading.Serialized)
        {
            NativeLoader.Prepare();
            Start(threading);
            open++;
            isOpen = true;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Start(Threading threading)
        {
            int provided;
            if (Finalized)
            {
                throw new InvalidOperationException(
                    "MPI has ended, and cannot be started again in this process. Use one Environment for the whole program.");
            }
            if (!Initialized)
            {
                Errors.Check(Native.Init(Constants.ThreadLevels[(int)threading], &provided));
            }
            Errors.Check(Native.LargestTag(out int value, out int found));
            largestTag = found != 0 ? value : largestTag;
            Communicator.World.ReturnErrors();
            Communicator.Self.ReturnErrors();
        }

        /// <summary>Runs a program: starts MPI, calls the function, ends MPI.</summary>
        /// <remarks>
        /// An exception that the function does not catch ends the whole job: it is written to standard error with the
        /// rank it comes from, and all ranks are aborted, so that no rank waits for one that has failed.
        /// </remarks>
        /// <param name="args">The arguments of the program.</param>
        /// <param name="program">Called with all ranks.</param>
        /// <param name="threading">How many threads may call MPI.</param>
        public static void Run(string[] args, Action<Intracommunicator> program,
            Threading threading = MPI.Threading.Serialized)
        {
            using (new Environment(ref args, threading))
            {
                OrAbort(() => program(Communicator.World));
            }
        }

        /// <summary>The same for a function that awaits requests: see <see cref="EventLoop"/>.</summary>
        /// <inheritdoc cref="Run(string[], Action{Intracommunicator}, Threading)" path="/param|/typeparam"/>
        public static void Run(string[] args, Func<Intracommunicator, Task> program,
            Threading threading = MPI.Threading.Serialized)
        {
            using (new Environment(ref args, threading))
            {
                OrAbort(() => EventLoop.Run(() => program(Communicator.World)));
            }
        }

        /// <summary>The same without arguments.</summary>
        /// <param name="program">Called with all ranks.</param>
        public static void Run(Action<Intracommunicator> program) => Run(new string[0], program);

        /// <summary>For the launcher to pass on what was written: Hydra drops it when a rank aborts before.</summary>
        private const int LastWordsMs = 200;

        private static void OrAbort(Action program)
        {
            try
            {
                program();
            }
            catch (Exception exception)
            {
                Console.Out.Flush();
                Console.Error.WriteLine(Labelled(exception));
                Console.Error.Flush();
                System.Threading.Thread.Sleep(LastWordsMs);
                Abort(1);
            }
        }

        /// <summary>The trace of an exception with its rank at the beginning of each line.</summary>
        private static string Labelled(Exception exception)
        {
            string label = "[rank " + Communicator.World.Rank + "] ";
            return label + exception.ToString().Replace("\n", "\n" + label);
        }

        /// <summary>Ends MPI if no other environment is in use.</summary>
        public void Dispose()
        {
            if (isOpen)
            {
                isOpen = false;
                open--;
                if (open == 0)
                {
                    End();
                }
            }
        }

        private static void End()
        {
            if (Initialized && !Finalized)
            {
                Errors.Check(Native.FinalizeMpi());
            }
        }

        /// <summary>Ends all ranks at once.</summary>
        /// <param name="code">The exit code of the job.</param>
        public static void Abort(int code) => Native.Abort(Constants.CommWorld, code);

        /// <summary>Whether MPI was started.</summary>
        public static bool Initialized
        {
            get
            {
                Errors.Check(Native.Initialized(out int flag));
                return flag != 0;
            }
        }

        /// <summary>Whether MPI was ended.</summary>
        public static bool Finalized
        {
            get
            {
                Errors.Check(Native.Finalized(out int flag));
                return flag != 0;
            }
        }

        /// <summary>How many threads may call MPI.</summary>
        public static Threading Threading
        {
            get
            {
                Errors.Check(Native.QueryThread(out int level));
                return (Threading)Array.IndexOf(Constants.ThreadLevels, level);
            }
        }

        /// <summary>Whether this is the thread that started MPI.</summary>
        public static bool IsMainThread
        {
            get
            {
                Errors.Check(Native.IsThreadMain(out int flag));
                return flag != 0;
            }
        }

        /// <summary>The name of this machine.</summary>
        public static string ProcessorName => Errors.Text(text => Native.ProcessorName((byte*)text));

        /// <summary>What the MPI library says it is, on one or several lines.</summary>
        public static string LibraryVersion => Errors.Text(text => Native.LibraryVersion((byte*)text));

        /// <summary>Seconds since a moment in the past.</summary>
        public static double Time => Native.Wtime();

        /// <summary>The resolution of <see cref="Time"/> in seconds.</summary>
        public static double TimeResolution => Native.Wtick();

        /// <summary>The largest tag.</summary>
        public static int MaxTag => largestTag;
    }
}
