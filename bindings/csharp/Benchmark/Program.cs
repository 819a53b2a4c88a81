using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using MPI;

namespace Benchmark
{
    /// <summary>
    /// The program of C#: every case of docs/protocol.md that Polympi.Net can do, through its public interface.
    ///     mpiexec -n RANKS (mono Benchmark.exe | dotnet Benchmark.dll) PLAN SAMPLES [--name NAME]
    /// </summary>
    internal static unsafe class Program
    {
        // What C calls; kept here, since the garbage collector does not see that C has them.
        private static readonly Harness.Refuse Refuse = RefuseCase;
        private static readonly Harness.Prepare Prepare = PrepareCase;
        private static readonly Harness.Plainly Begin = context => Guarded(() => running.Begin());
        private static readonly Harness.Plainly End = context => Guarded(() => running.End());
        private static readonly Harness.Plainly Show = context => Guarded(() => running.Show());
        private static readonly Harness.Plainly Release = context => Guarded(() => running.Release());
        private static readonly Harness.Communication Communication = ReadCommunication;
        private static readonly Harness.Check Check = Harness.CheckApplication;
        private static readonly Harness.Batch Batch = RunBatch;
        private static readonly Harness.Singly Singly = RunSingly;
        private static readonly Dictionary<string, IntPtr> Reasons = new Dictionary<string, IntPtr>();

        private static Prepared running;

        private static int Main(string[] args)
        {
            bool understood = args.Length == 2 || args.Length == 4 && args[2] == "--name";
            var launch = new Launch
            {
                Plan = Text(understood ? args[0] : ""),
                Samples = Text(understood ? args[1] : ""),
                Binding = Text(understood && args.Length == 4 ? args[3] : "csharp"),
                Complaint = Text(understood ? "" : "Usage: Benchmark PLAN SAMPLES [--name NAME]."),
                OptedIn = ApplicationCases.OptedIn,
            };
            long start = Harness.Clock();
            using (new MPI.Environment(ref args))
            {
                launch.InitNs = Harness.Clock() - start;
                Communicator.World.Barrier();
                launch.ReadyNs = Harness.Clock();
                Harness.Memory(&launch.PssBytes, &launch.RssBytes);
                var program = new ProgramCallbacks
                {
                    Refuse = Marshal.GetFunctionPointerForDelegate(Refuse),
                    Prepare = Marshal.GetFunctionPointerForDelegate(Prepare),
                };
                return Harness.Run(&launch, &program);
            }
        }

        /// <summary>A string for C, as long as the program runs.</summary>
        private static IntPtr Text(string text) => Marshal.StringToHGlobalAnsi(text);

        private static IntPtr RefuseCase(IntPtr context, Case* c)
        {
            string reason = Cases.Refuse(c);
            if (reason == null)
            {
                return IntPtr.Zero;
            }
            if (!Reasons.TryGetValue(reason, out IntPtr text))
            {
                text = Text(reason);
                Reasons.Add(reason, text);
            }
            return text;
        }

        private static void PrepareCase(IntPtr context, Case* c, Buffers* buffers, Callbacks* callbacks)
        {
            Guarded(() => running = new Cases(Communicator.World, c, buffers).Prepare());
            *callbacks = new Callbacks
            {
                Begin = Marshal.GetFunctionPointerForDelegate(Begin),
                End = Marshal.GetFunctionPointerForDelegate(End),
                Batch = Marshal.GetFunctionPointerForDelegate(Batch),
                Singly = Marshal.GetFunctionPointerForDelegate(Singly),
                Show = Marshal.GetFunctionPointerForDelegate(Show),
                Release = Marshal.GetFunctionPointerForDelegate(Release),
            };
            if (running.Communication != null)
            {
                callbacks->Communication = Marshal.GetFunctionPointerForDelegate(Communication);
                callbacks->Check = Marshal.GetFunctionPointerForDelegate(Check);
            }
        }

        private static long ReadCommunication(IntPtr context)
        {
            long ns = 0;
            Guarded(() => ns = running.Communication());
            return ns;
        }

        private static void RunBatch(IntPtr context, int iterations) => Guarded(() => running.Loops.Batch(iterations));

        private static void RunSingly(IntPtr context, int iterations, long* ns) =>
            Guarded(() => running.Loops.Singly(iterations, ns));

        /// <summary>No exception may go through C: it ends all ranks.</summary>
        private static void Guarded(Action action)
        {
            try
            {
                action();
            }
            catch (Exception exception)
            {
                Console.Error.WriteLine(exception);
                Console.Error.Flush();
                MPI.Environment.Abort(1);
            }
        }
    }
}
