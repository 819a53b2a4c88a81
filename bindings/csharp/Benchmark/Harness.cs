using System;
using System.Runtime.InteropServices;
using Applications;

namespace Benchmark
{
    /// <summary>struct polympi_case.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Case
    {
#pragma warning disable 649, 169 // C writes them
        public long Bytes;
        public int Id, Benchmark, Kind, Mode, SendMode, Completion, Face, Payload;
        public int Warmup, Batches, Iterations, Events;
#pragma warning restore 649, 169
    }

    /// <summary>struct polympi_buffers.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct Buffers
    {
#pragma warning disable 649, 169
        public IntPtr Outgoing, Incoming, Acknowledgement, Empty, Attached, PackedOutgoing, PackedIncoming;
        public long Stride, Count, AttachedBytes, Edge;
        public int OutgoingMessages, IncomingMessages, Window, Rank, Ranks;
        public Part* Part; // struct polympi_part has the fields of the applications' own
#pragma warning restore 649, 169
    }

    /// <summary>struct polympi_callbacks.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Callbacks
    {
        public IntPtr Context, Begin, End, Batch, Singly, Show, Release, Communication, Check;
    }

    /// <summary>struct polympi_program.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct ProgramCallbacks
    {
        public IntPtr Context, Refuse, Prepare;
    }

    /// <summary>struct polympi_launch.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Launch
    {
        public IntPtr Plan, Samples, Binding, Complaint;
        public long ReadyNs, LoadNs, InitNs, PssBytes, RssBytes, OptedIn;
        public int PlainPages, Unused;
    }

    /// <summary>The harness in C.</summary>
    internal static unsafe class Harness
    {
        public const int PayloadTag = 1;
        public const int AcknowledgementTag = 2;
        public const int UntimedCalls = 3;
        public const int NoMemory = 4;

        private const string Library = "polympi_harness";

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void Plainly(IntPtr context);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void Batch(IntPtr context, int iterations);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void Singly(IntPtr context, int iterations, long* ns);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate long Communication(IntPtr context);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void Check(Case* c, Buffers* buffers, long iterations, IntPtr complaint);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate IntPtr Refuse(IntPtr context, Case* c);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void Prepare(IntPtr context, Case* c, Buffers* buffers, Callbacks* callbacks);

        [DllImport(Library, EntryPoint = "polympi_run")]
        public static extern int Run(Launch* launch, ProgramCallbacks* program);

        [DllImport(Library, EntryPoint = "polympi_clock")]
        public static extern long Clock();

        [DllImport(Library, EntryPoint = "polympi_memory")]
        public static extern void Memory(long* pss, long* rss);

        [DllImport(Library, EntryPoint = "common_start_agree")]
        public static extern int Agree();

        [DllImport(Library, EntryPoint = "common_start_wait")]
        public static extern long WaitForStart();

        [DllImport(Library, EntryPoint = "polympi_application_check")]
        public static extern void CheckApplication(Case* c, Buffers* buffers, long iterations, IntPtr complaint);

        [DllImport(Library, EntryPoint = "polympi_benchmark_number")]
        public static extern int BenchmarkNumber(string name);

        [DllImport(Library)]
        private static extern IntPtr polympi_benchmark_name(int benchmark);

        [DllImport(Library)]
        private static extern IntPtr polympi_mode_name(int mode);

        [DllImport(Library)]
        private static extern IntPtr polympi_payload_name(int payload);

        public static string BenchmarkName(Case* c) => Marshal.PtrToStringAnsi(polympi_benchmark_name(c->Benchmark));

        public static string ModeName(Case* c) => Marshal.PtrToStringAnsi(polympi_mode_name(c->Mode));

        public static string PayloadName(Case* c) => Marshal.PtrToStringAnsi(polympi_payload_name(c->Payload));
    }
}
