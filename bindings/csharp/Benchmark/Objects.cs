using System;
using System.Runtime.InteropServices;

namespace Benchmark
{
    /// <summary>The payload dict: an object as users have them.</summary>
    public sealed class Record
    {
        /// <summary>The first field.</summary>
        public long Integer { get; set; }

        /// <summary>The second.</summary>
        public double Real { get; set; }

        /// <summary>The third.</summary>
        public string Text { get; set; }
    }

    /// <summary>How a message in the harness's memory and a value of C# become each other; never timed.</summary>
    internal sealed class Kind<T>
    {
        public Func<IntPtr, int, T> Read;
        public Action<IntPtr, T> Write;
    }

    internal static unsafe class Kinds
    {
        public static readonly Kind<long> Integer = new Kind<long>
        {
            Read = (place, count) => *(long*)place,
            Write = (place, value) => *(long*)place = value,
        };

        public static readonly Kind<double> Real = new Kind<double>
        {
            Read = (place, count) => *(double*)place,
            Write = (place, value) => *(double*)place = value,
        };

        public static readonly Kind<double[]> Array = new Kind<double[]>
        {
            Read = (place, count) => new Span<double>((void*)place, count).ToArray(),
            Write = (place, value) => Marshal.Copy(value, 0, place, value.Length),
        };

        // struct polympi_record: an integer, a double, 8 characters.
        public static readonly Kind<Record> Dict = new Kind<Record>
        {
            Read = (place, count) => new Record
            {
                Integer = *(long*)place,
                Real = *(double*)(place + 8),
                Text = Marshal.PtrToStringAnsi(place + 16, 8),
            },
            Write = (place, value) =>
            {
                *(long*)place = value.Integer;
                *(double*)(place + 8) = value.Real;
                for (int i = 0; i < 8; i++)
                {
                    ((byte*)place)[16 + i] = i < value.Text.Length ? (byte)value.Text[i] : (byte)0;
                }
            },
        };
    }
}
