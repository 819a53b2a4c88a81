using System;
using System.Diagnostics;
using System.Numerics;
using MPI;

namespace Applications
{
    /// <summary>
    /// The inner product of two vectors: x_i = 1 / (i + 1), y_i = (i + 1) (1 + i mod 3). Each term is 1 + i mod 3, so
    /// the sum is known. Each rank takes the inner product of its parts; a reduction adds these up on rank 0.
    /// </summary>
    public sealed unsafe class InnerProduct : ISolver
    {
        private readonly Intracommunicator comm;
        private readonly long count;
        private readonly Numbers x, y, value;
        private readonly Stopwatch communicating = new Stopwatch();

        /// <summary>Divides the vectors among the ranks, whose parts differ by one element at most.</summary>
        /// <param name="comm">The ranks.</param>
        /// <param name="length">The elements of a vector.</param>
        /// <exception cref="InsufficientMemoryException">On all ranks, where one has no memory.</exception>
        public InnerProduct(Intracommunicator comm, long length)
        {
            this.comm = comm;
            long each = length / comm.Size, more = length % comm.Size;
            count = each + (comm.Rank < more ? 1 : 0);
            x = Numbers.Allocate(count);
            y = Numbers.Allocate(count);
            value = Numbers.Allocate(1);
            if (!comm.Allreduce(x != null && y != null && value != null, Operation<bool>.LogicalAnd))
            {
                Dispose();
                throw new InsufficientMemoryException("There is no memory for vectors of " + length + " elements.");
            }
            Fill(each * comm.Rank + Math.Min(comm.Rank, more));
            Restart();
        }

        /// <summary>The inner product, on rank 0.</summary>
        public double Value => *value.First;

        /// <summary>The inner product, one element on rank 0 and none on the others.</summary>
        public Part Part
        {
            get
            {
                var part = new Part { Values = value.First };
                part.Count[0] = comm.Rank == 0 ? 1 : 0;
                part.Count[1] = part.Count[2] = part.Stride[0] = 1;
                return part;
            }
        }

        /// <inheritdoc/>
        public long CommunicationNs => (long)(communicating.ElapsedTicks * (1e9 / Stopwatch.Frequency));

        /// <inheritdoc/>
        public void Restart() => *value.First = 0;

        /// <inheritdoc/>
        public void Advance(long iterations)
        {
            for (; iterations > 0; iterations--)
            {
                double mine = Multiply(x.First, y.First, count);
                communicating.Start();
                *value.First = comm.Reduce(mine, Operation<double>.Add, 0);
                communicating.Stop();
            }
        }

        /// <inheritdoc/>
        public void Dispose()
        {
            x?.Dispose();
            y?.Dispose();
            value?.Dispose();
        }

        private void Fill(long start)
        {
            for (long i = 0; i < count; i++)
            {
                double number = start + i + 1;
                x.First[i] = 1 / number;
                y.First[i] = number * (1 + (start + i) % 3);
            }
        }

        /// <summary>The result is made of several sums: an addition begins while others are not complete.</summary>
        private static double Multiply(double* x, double* y, long count)
        {
            // Mono's compiler has no vectors.
            long done = Vector.IsHardwareAccelerated ? count - count % (4 * Vector<double>.Count) : 0;
            double vectors = done > 0 ? MultiplyVectors(x, y, done) : 0, sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
            long i = done;
            for (; i + 4 <= count; i += 4)
            {
                sum0 += x[i] * y[i];
                sum1 += x[i + 1] * y[i + 1];
                sum2 += x[i + 2] * y[i + 2];
                sum3 += x[i + 3] * y[i + 3];
            }
            for (; i < count; i++)
            {
                sum0 += x[i] * y[i];
            }
            return vectors + ((sum0 + sum1) + (sum2 + sum3));
        }

        private static double MultiplyVectors(double* x, double* y, long count)
        {
            Vector<double> sum0 = Vector<double>.Zero, sum1 = sum0, sum2 = sum0, sum3 = sum0;
            Vector<double>* u = (Vector<double>*)x, v = (Vector<double>*)y;
            for (long i = 0; i < count / Vector<double>.Count; i += 4)
            {
                sum0 += u[i] * v[i];
                sum1 += u[i + 1] * v[i + 1];
                sum2 += u[i + 2] * v[i + 2];
                sum3 += u[i + 3] * v[i + 3];
            }
            return Vector.Dot((sum0 + sum1) + (sum2 + sum3), Vector<double>.One);
        }
    }
}
