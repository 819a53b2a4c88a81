using System;
using System.Collections.Generic;
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

    /// <summary>The payload nested.</summary>
    public sealed class Nested
    {
        /// <summary>A text.</summary>
        public string Name { get; set; }

        /// <summary>An integer.</summary>
        public long Integer { get; set; }

        /// <summary>A list of lists.</summary>
        public List<List<double>> Rows { get; set; }
    }

    /// <summary>An element of the layout struct: what lies between the fields stays with its rank.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 40)]
    internal struct Particle
    {
        [FieldOffset(0)]
        public long Number;
        [FieldOffset(8)]
        public double Mass;
        [FieldOffset(24)]
        public double X;
        [FieldOffset(32)]
        public double Y;
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
                Text = ReadText(place + 16, 8),
            },
            Write = (place, value) =>
            {
                *(long*)place = value.Integer;
                *(double*)(place + 8) = value.Real;
                WriteText(place + 16, value.Text, 8);
            },
        };

        public static readonly Kind<string> Text = new Kind<string>
        {
            Read = (place, count) => ReadText(place, 32),
            Write = (place, value) => WriteText(place, value, 32),
        };

        public static readonly Kind<List<long>> List = new Kind<List<long>>
        {
            Read = (place, count) => new List<long>(new Span<long>((void*)place, ListLength).ToArray()),
            Write = (place, value) => value.ToArray().CopyTo(new Span<long>((void*)place, ListLength)),
        };

        // Entries lie as struct polympi_entry: a text of 8 letters and a double.
        public static readonly Kind<Dictionary<string, double>> Map = new Kind<Dictionary<string, double>>
        {
            Read = (place, count) =>
            {
                var map = new Dictionary<string, double>();
                for (int i = 0; i < MapLength; i++)
                {
                    map.Add(ReadText(place + 16 * i, 8), *(double*)(place + 16 * i + 8));
                }
                return map;
            },
            Write = (place, value) =>
            {
                foreach (KeyValuePair<string, double> entry in value)
                {
                    WriteText(place, entry.Key, 8);
                    *(double*)(place + 8) = entry.Value;
                    place += 16;
                }
            },
        };

        // struct polympi_nested: a text of 8 letters, an integer, 4 rows of 4 doubles.
        public static readonly Kind<Nested> Nested = new Kind<Nested>
        {
            Read = (place, count) =>
            {
                var rows = new List<List<double>>();
                for (int i = 0; i < NestedRows; i++)
                {
                    var row = new Span<double>((void*)(place + 16 + 8 * NestedRows * i), NestedRows);
                    rows.Add(new List<double>(row.ToArray()));
                }
                return new Nested { Name = ReadText(place, 8), Integer = *(long*)(place + 8), Rows = rows };
            },
            Write = (place, value) =>
            {
                WriteText(place, value.Name, 8);
                *(long*)(place + 8) = value.Integer;
                for (int i = 0; i < NestedRows; i++)
                {
                    value.Rows[i].ToArray().CopyTo(
                        new Span<double>((void*)(place + 16 + 8 * NestedRows * i), NestedRows));
                }
            },
        };

        private const int ListLength = 100, MapLength = 20, NestedRows = 4;

        private static string ReadText(IntPtr place, int length) => Marshal.PtrToStringAnsi(place, length);

        private static void WriteText(IntPtr place, string text, int length)
        {
            for (int i = 0; i < length; i++)
            {
                ((byte*)place)[i] = i < text.Length ? (byte)text[i] : (byte)0;
            }
        }
    }
}
