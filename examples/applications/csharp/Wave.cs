using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Numerics;
using System.Runtime.CompilerServices;
using MPI;

namespace Applications
{
    /// <summary>
    /// The wave equation u_tt = u_xx + u_yy + u_zz on the unit cube, whose boundary reflects, after H. P. Langtangen,
    /// Computational Partial Differential Equations, Springer 2003. Leapfrog in time and central differences in space,
    /// so that a point and its six neighbours give the next value. The wave begins at rest, as
    /// u = 2 cos(pi x) cos(pi y) cos(pi z).
    /// </summary>
    public sealed unsafe class Wave : ISolver
    {
        /// <summary>The points along each axis that a rank has at least.</summary>
        public const int LeastPoints = 3;

        /// <summary>
        /// And at most, so that the numbers of a face are counted by an int, also where each row ends with some that are
        /// not used.
        /// </summary>
        public const int MostPoints = 46328;

        private const int Page = 4096 / sizeof(double);

        /// <summary>Planes that are updated at a time.</summary>
        private const int Four = 4;

        private readonly Mesh mesh;
        private readonly long edge;
        private readonly bool overlapped;
        private readonly Box all, inside;
        private readonly List<Box> beside;
        private readonly Numbers memory;
        private readonly double*[] fields = new double*[2]; // of u and of the step before it, by turns
        private readonly Faces faces;
        private readonly Stopwatch exchanging = new Stopwatch();
        private int current; // the field of u
        private long step;

        /// <summary>Divides a mesh of points among the ranks.</summary>
        /// <param name="comm">The ranks.</param>
        /// <param name="edge">The points along each axis.</param>
        /// <param name="overlapped">Whether points inside are updated while the faces are in flight.</param>
        /// <exception cref="ArgumentException">On all ranks, where one has too few points, or too many.</exception>
        /// <exception cref="InsufficientMemoryException">On all ranks, where one has no memory.</exception>
        public Wave(Intracommunicator comm, long edge, bool overlapped)
        {
            this.edge = edge;
            this.overlapped = overlapped;
            mesh = new Mesh(comm, edge);
            Check(
                mesh.Points.All(points => points >= LeastPoints && points <= MostPoints),
                new ArgumentException(
                    "The mesh is too small for the ranks, or too large: each rank needs " + LeastPoints
                    + " points along each axis, and " + MostPoints + " at most."));
            all = new Box(mesh);
            inside = all.Inside(mesh);
            beside = all.Beside(inside);
            // Point 1 of each row begins a cache line: a vector of a row then is in one line, and not in two. The second
            // field begins elsewhere in a page: else a processor takes values of it that are written for those of the
            // first one with the same place in a page, and waits.
            const long First = Mesh.Line - 1;
            long second = First + (mesh.Size + Page - 1) / Page * Page + Page / 2 + Mesh.Line, end = second + mesh.Size;
            memory = Numbers.Allocate(end + Faces.Room(mesh), onHugePages: true);
            Check(memory != null, new InsufficientMemoryException("A rank has no memory for its part of the mesh."));
            fields[0] = memory.First + First;
            fields[1] = memory.First + second;
            faces = new Faces(mesh, fields, memory.First + end);
            Restart();
        }

        /// <inheritdoc/>
        public Part Part
        {
            get
            {
                var part = new Part { Values = mesh.At(fields[current], 1, 1, 1) };
                for (int axis = 0; axis < 3; axis++)
                {
                    part.Start[axis] = mesh.Start[axis];
                    part.Count[axis] = mesh.Points[axis];
                }
                part.Stride[0] = mesh.Plane;
                part.Stride[1] = mesh.Row;
                part.Stride[2] = 1;
                return part;
            }
        }

        /// <inheritdoc/>
        public long CommunicationNs => (long)(exchanging.ElapsedTicks * (1e9 / Stopwatch.Frequency));

        /// <summary>
        /// The time step: 0.57728 of the spacing, a little less than the 1 / sqrt(3) up to which the scheme is stable.
        /// </summary>
        /// <param name="edge">The points along each axis.</param>
        public static double TimeStep(long edge) => 0.004510 * 128 / (edge - 1);

        /// <inheritdoc/>
        public void Restart()
        {
            double[][] cosines = Enumerable.Range(0, 3).Select(Cosines).ToArray();
            long n = mesh.Points[2];
            for (long i = 0; i < mesh.Size; i++)
            {
                fields[0][i] = fields[1][i] = 0; // the first step takes nothing from before it
            }
            for (long i = 1; i <= mesh.Points[0]; i++)
            {
                for (long j = 1; j <= mesh.Points[1]; j++)
                {
                    double* row = mesh.At(fields[0], i, j, 0);
                    double two = 2 * cosines[0][i - 1] * cosines[1][j - 1];
                    for (long k = 1; k <= n; k++)
                    {
                        row[k] = two * cosines[2][k - 1];
                    }
                    row[0] = row[2]; // ghost points of a neighbour are overwritten by what it sends
                    row[n + 1] = row[n - 1];
                }
            }
            current = 0;
            step = 0;
        }

        /// <inheritdoc/>
        public void Advance(long iterations)
        {
            double ratio = TimeStep(edge) * (edge - 1);
            for (; iterations > 0; iterations--)
            {
                // u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
                double share = step == 0 ? 0.5 : 1, a = share * ratio * ratio, c = 2 * share - 6 * a;
                exchanging.Start();
                faces.Start(current);
                exchanging.Stop();
                if (overlapped)
                {
                    Update(inside, a, c);
                }
                exchanging.Start();
                faces.Finish(current);
                exchanging.Stop();
                if (overlapped)
                {
                    beside.ForEach(box => Update(box, a, c));
                }
                else
                {
                    Update(all, a, c);
                }
                current = 1 - current;
                step++;
            }
        }

        /// <inheritdoc/>
        public void Dispose()
        {
            faces?.Dispose();
            memory?.Dispose();
            mesh.Dispose();
        }

        /// <summary>What is not so on one rank is an exception on all.</summary>
        private void Check(bool here, Exception otherwise)
        {
            if (!mesh.Everywhere(here))
            {
                Dispose();
                throw otherwise;
            }
        }

        private double[] Cosines(int axis)
        {
            var cosines = new double[mesh.Points[axis]];
            for (long i = 0; i < cosines.Length; i++)
            {
                cosines[i] = Math.Cos(Math.PI * (mesh.Start[axis] + i) / (edge - 1));
            }
            return cosines;
        }

        /// <summary>
        /// The next values of a box overwrite the values before last, four planes at a time, and the planes that are left
        /// over one by one. A row next to the boundary takes its mirror image for the ghost row: u_0 = u_2. Only at the ends
        /// of rows the ghost points are written, while the row is in the cache.
        /// </summary>
        private void Update(Box box, double a, double c)
        {
            double* u = fields[current], next = fields[1 - current];
            long first = box.First[2], count = box.Last[2] - first + 1, n = mesh.Points[2];
            bool begins = mesh.IsBoundary(4) && first == 1, ends = mesh.IsBoundary(5) && box.Last[2] == n;
            long planes;
            for (long i = box.First[0]; i <= box.Last[0]; i += planes)
            {
                planes = i + Four - 1 <= box.Last[0] ? Four : 1;
                long last = i + planes - 1;
                long below = i == 1 && mesh.IsBoundary(0) ? 2 : i - 1;
                long above = last == mesh.Points[0] && mesh.IsBoundary(1) ? last - 1 : last + 1;
                for (long j = box.First[1]; j <= box.Last[1]; j++)
                {
                    long left = j == 1 && mesh.IsBoundary(2) ? mesh.Row : -mesh.Row;
                    long right = j == mesh.Points[1] && mesh.IsBoundary(3) ? -mesh.Row : mesh.Row;
                    double* to = mesh.At(next, i, j, first), from = mesh.At(u, i, j, first);
                    double* lower = mesh.At(u, below, j, first), upper = mesh.At(u, above, j, first);
                    if (planes == Four)
                    {
                        UpdateFour(to, from, mesh.Plane, lower, upper, left, right, a, c, count);
                    }
                    else
                    {
                        UpdateRow(to, from, lower, upper, left, right, a, c, count);
                    }
                    for (long plane = i; plane <= last; plane++)
                    {
                        double* row = mesh.At(next, plane, j, 0);
                        if (begins)
                        {
                            row[0] = row[2];
                        }
                        if (ends)
                        {
                            row[n + 1] = row[n - 1];
                        }
                    }
                }
            }
        }

        /// <summary>
        /// What a row needs of others lies in rows, too: below and above along axis 0, and so many numbers away left and
        /// right along axis 1.
        /// </summary>
        private static void UpdateRow(
            double* next, double* u, double* below, double* above, long left, long right, double a, double c, long count)
        {
            long k = 0;
            if (Vector.IsHardwareAccelerated) // Mono's compiler has no vectors
            {
                Vector<double> allA = new Vector<double>(a), allC = new Vector<double>(c);
                for (; k + Vector<double>.Count <= count; k += Vector<double>.Count)
                {
                    Update(next + k, u + k, At(u + k), At(below + k) + At(above + k), left, right, allA, allC);
                }
            }
            for (; k < count; k++)
            {
                Update(next + k, u + k, below[k] + above[k], left, right, a, c);
            }
        }

        /// <summary>
        /// A row of a plane and the same ones of the three planes above it. A plane is a neighbour of the planes next to it,
        /// and too large for the cache nearest to the processor: of four planes, six are loaded for four that are made, and
        /// of single planes twelve. With the vectors of .NET Core 3.1, of 32 bytes at most, it takes as long as two pairs of
        /// planes, as it does in C; vectors of 64 bytes need 0.8 of that.
        /// </summary>
        private static void UpdateFour(
            double* next, double* u, long plane, double* below, double* above, long left, long right, double a, double c,
            long count)
        {
            double* u1 = u + plane, u2 = u1 + plane, u3 = u2 + plane;
            double* next1 = next + plane, next2 = next1 + plane, next3 = next2 + plane;
            long k = 0;
            if (Vector.IsHardwareAccelerated)
            {
                Vector<double> allA = new Vector<double>(a), allC = new Vector<double>(c);
                for (; k + Vector<double>.Count <= count; k += Vector<double>.Count)
                {
                    Vector<double> own = At(u + k), own1 = At(u1 + k), own2 = At(u2 + k), own3 = At(u3 + k);
                    Update(next + k, u + k, own, At(below + k) + own1, left, right, allA, allC);
                    Update(next1 + k, u1 + k, own1, own + own2, left, right, allA, allC);
                    Update(next2 + k, u2 + k, own2, own1 + own3, left, right, allA, allC);
                    Update(next3 + k, u3 + k, own3, own2 + At(above + k), left, right, allA, allC);
                }
            }
            for (; k < count; k++)
            {
                Update(next + k, u + k, below[k] + u1[k], left, right, a, c);
                Update(next1 + k, u1 + k, u[k] + u2[k], left, right, a, c);
                Update(next2 + k, u2 + k, u1[k] + u3[k], left, right, a, c);
                Update(next3 + k, u3 + k, u2[k] + above[k], left, right, a, c);
            }
        }

        /// <summary>The update of a point, with the sum of its neighbours along axis 0.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static void Update(double* next, double* u, double axis0, long left, long right, double a, double c)
            => *next = a * ((axis0 + (u[left] + u[right])) + (u[-1] + u[1])) + c * *u - *next;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static void Update(
            double* next, double* u, Vector<double> own, Vector<double> axis0, long left, long right, Vector<double> a,
            Vector<double> c)
            => *(Vector<double>*)next =
                a * ((axis0 + (At(u + left) + At(u + right))) + (At(u - 1) + At(u + 1))) + c * own - At(next);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static Vector<double> At(double* place) => *(Vector<double>*)place;
    }
}
