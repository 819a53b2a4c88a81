using System;
using System.Collections.Generic;
using System.Linq;
using MPI;

namespace Applications
{
    /// <summary>
    /// The exchange of faces with up to six neighbours. Faces across axis 0 are planes, which are sent from where they
    /// are, with the ghost points at the ends of their rows; the others are copied.
    /// </summary>
    internal sealed unsafe class Faces : IDisposable
    {
        private readonly Mesh mesh;
        private readonly double*[] fields;
        private readonly int[] sides;
        private readonly double*[] outgoing = new double*[Mesh.Sides], incoming = new double*[Mesh.Sides];
        private readonly PersistentRequest[][] requests; // of each field, first all receives, then all sends

        /// <param name="mesh">The ranks and their blocks.</param>
        /// <param name="fields">The blocks whose faces are exchanged, one or the other.</param>
        /// <param name="room">Memory for copies, as much as <see cref="Room"/> says.</param>
        public Faces(Mesh mesh, double*[] fields, double* room)
        {
            this.mesh = mesh;
            this.fields = fields;
            sides = SidesOf(mesh).ToArray();
            foreach (int side in sides.Where(IsCopied))
            {
                outgoing[side] = room;
                incoming[side] = room += Points(mesh, side);
                room += Points(mesh, side);
            }
            requests = Enumerable.Range(0, fields.Length).Select(Prepare).ToArray();
        }

        /// <summary>How many numbers are copied on their way out and in.</summary>
        public static long Room(Mesh mesh) => SidesOf(mesh).Where(IsCopied).Sum(side => 2 * Points(mesh, side));

        public void Start(int field)
        {
            foreach (int side in sides.Where(IsCopied))
            {
                Copy(side, fields[field], Inside(side), outgoing[side], true);
            }
            foreach (PersistentRequest request in requests[field])
            {
                request.Start();
            }
        }

        public void Finish(int field)
        {
            foreach (PersistentRequest request in requests[field])
            {
                request.Complete();
            }
            foreach (int side in sides.Where(IsCopied))
            {
                Copy(side, fields[field], Outside(side), incoming[side], false);
            }
        }

        public void Dispose()
        {
            foreach (PersistentRequest request in requests.SelectMany(ofField => ofField))
            {
                request.Dispose();
            }
        }

        private static IEnumerable<int> SidesOf(Mesh mesh) =>
            Enumerable.Range(0, Mesh.Sides).Where(side => !mesh.IsBoundary(side));

        private static bool IsCopied(int side) => side >= 2;

        /// <summary>The points of a message.</summary>
        private static long Points(Mesh mesh, int side)
        {
            long[] n = mesh.Points;
            return side < 2 ? n[1] * mesh.Row : side < 4 ? n[0] * n[2] : n[0] * n[1];
        }

        /// <summary>The layer that a neighbour needs.</summary>
        private long Inside(int side) => side % 2 == 0 ? 1 : mesh.Points[side / 2];

        /// <summary>The ghost layer that it fills.</summary>
        private long Outside(int side) => side % 2 == 0 ? 0 : mesh.Points[side / 2] + 1;

        /// <summary>A message has the number of the side at which it arrives.</summary>
        private PersistentRequest[] Prepare(int field)
        {
            double* u = fields[field];
            var receives = new List<PersistentRequest>();
            var sends = new List<PersistentRequest>();
            foreach (int side in sides)
            {
                double* from = IsCopied(side) ? outgoing[side] : mesh.At(u, Inside(side), 1, 0);
                double* into = IsCopied(side) ? incoming[side] : mesh.At(u, Outside(side), 1, 0);
                receives.Add(mesh.Ranks.ReceiveInit(mesh.Neighbor[side], side, Memory(side, into)));
                sends.Add(mesh.Ranks.SendInit<double>(Memory(side, from), mesh.Neighbor[side], side ^ 1));
            }
            return receives.Concat(sends).ToArray();
        }

        private Memory<double> Memory(int side, double* first) =>
            new UnmanagedMemory<double>((IntPtr)first, (int)Points(mesh, side)).Memory;

        /// <summary>Copies the points of a layer across axis 1 or 2 out of a block, or into it.</summary>
        private void Copy(int side, double* block, long layer, double* packed, bool outOf)
        {
            bool inRows = side / 2 == 1;
            long count = mesh.Points[inRows ? 2 : 1], step = inRows ? 1 : mesh.Row;
            for (long i = 1; i <= mesh.Points[0]; i++, packed += count)
            {
                double* points = inRows ? mesh.At(block, i, layer, 1) : mesh.At(block, i, 1, layer);
                for (long k = 0; k < count; k++)
                {
                    if (outOf)
                    {
                        packed[k] = points[k * step];
                    }
                    else
                    {
                        points[k * step] = packed[k];
                    }
                }
            }
        }
    }
}
