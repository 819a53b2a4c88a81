using System;
using System.Linq;
using MPI;

namespace Tests
{
    internal struct Complex
    {
        public double Real, Imaginary;

        public static Complex operator +(Complex a, Complex b) =>
            new Complex { Real = a.Real + b.Real, Imaginary = a.Imaginary + b.Imaginary };
    }

    internal static class Reductions
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            OperationsOfMpi, OperatorsOfTypes, Lambdas, LambdasThatDoNotCommute, ArraysOfValues, ObjectsAndStrings, Scans,
            ScatteredSums, FailingLambdas,
        };

        private static int Sum(Intracommunicator comm) => comm.Size * (comm.Size + 1) / 2;

        private static void OperationsOfMpi(Intracommunicator comm)
        {
            int mine = comm.Rank + 1, n = comm.Size;
            Expect.Equal(Sum(comm), comm.Allreduce(mine, Operation<int>.Add), "the sum");
            Expect.Equal(
                Enumerable.Range(1, n).Aggregate(1, (a, b) => a * b), comm.Allreduce(mine, Operation<int>.Multiply), "the product");
            Expect.Equal(1, comm.Allreduce(mine, Operation<int>.Min), "the minimum");
            Expect.Equal((double)n, comm.Allreduce((double)mine, Operation<double>.Max), "the maximum");
            Expect.Equal(
                Enumerable.Range(1, n).Aggregate((a, b) => a & b), comm.Allreduce(mine, Operation<int>.BitwiseAnd), "and of bits");
            Expect.Equal(
                Enumerable.Range(1, n).Aggregate((a, b) => a | b), comm.Allreduce(mine, Operation<int>.BitwiseOr), "or of bits");
            Expect.Equal(
                Enumerable.Range(1, n).Aggregate((a, b) => a ^ b), comm.Allreduce(mine, Operation<int>.ExclusiveOr), "exclusive or");
            Expect.Equal(n == 1, comm.Allreduce(comm.Rank == 0, Operation<bool>.LogicalAnd), "whether all");
            Expect.Equal(true, comm.Allreduce(comm.Rank == 0, Operation<bool>.LogicalOr), "whether any");
            Expect.Equal(
                (byte)(3 * n), comm.Allreduce((byte)3, Operation<byte>.Add), "a sum of bytes");
            int root = n - 1;
            Expect.Equal(comm.Rank == root ? Sum(comm) : 0, comm.Reduce(mine, Operation<int>.Add, root), "the sum on the root");
        }

        private static void OperatorsOfTypes(Intracommunicator comm)
        {
            Expect.Equal(0.1m * Sum(comm), comm.Allreduce(0.1m * (comm.Rank + 1), Operation<decimal>.Add), "decimals");
            Complex sum = comm.Allreduce(new Complex { Real = 1, Imaginary = comm.Rank + 1 }, Operation<Complex>.Add);
            Expect.True(sum.Real == comm.Size && sum.Imaginary == Sum(comm), "the operator of a struct");
            Expect.Throws<NotSupportedException>(
                () => Operation<Complex>.Multiply(default(Complex), default(Complex)));
            Expect.Equal((byte)7, Operation<byte>.Add(3, 4), "an operation as a function");
        }

        private static void Lambdas(Intracommunicator comm)
        {
            Expect.Equal(Sum(comm), comm.Allreduce(comm.Rank + 1, (x, y) => x + y), "the sum");
            int limit = comm.Size; // a lambda that holds on to a variable
            Expect.Equal(
                limit, comm.Allreduce(comm.Rank + 1, (x, y) => Math.Min(limit, Math.Max(x, y))), "a limited maximum");
            for (int i = 0; i < 1000; i++)
            {
                int add = i;
                Expect.Equal(
                    Sum(comm) + (comm.Size - 1) * i, comm.Allreduce(comm.Rank + 1, (x, y) => x + y + add), "many lambdas");
            }
        }

        /// <summary>x -> A x + B, one after the other: the order counts.</summary>
        private static void LambdasThatDoNotCommute(Intracommunicator comm)
        {
            var mine = (comm.Rank + 2L, 2L * comm.Rank + 1);
            ReductionOperation<ValueTuple<long, long>> then = (f, g) => (f.Item1 * g.Item1, f.Item2 * g.Item1 + g.Item2);
            var expected = (2L, 1L);
            for (int rank = 1; rank < comm.Size; rank++)
            {
                expected = then(expected, (rank + 2L, 2L * rank + 1));
            }
            Expect.Equal(expected, comm.Allreduce(mine, then), "functions one after the other");
        }

        private static void ArraysOfValues(Intracommunicator comm)
        {
            double[] mine = { 1, comm.Rank + 1 };
            double[] expected = { comm.Size, Sum(comm) };
            Expect.Same(expected, comm.Allreduce(mine, Operation<double>.Add), "an array of sums");
            Expect.Same(expected, comm.Allreduce(mine, (x, y) => x + y), "the same with a lambda");
            double[] result = comm.Reduce(mine, Operation<double>.Add, 0);
            Expect.Equal(comm.Rank == 0, result != null, "only the root has a result");
            var into = new double[2];
            comm.Allreduce<double>(mine, into, Operation<double>.Add);
            Expect.Same(expected, into, "a span of sums");
        }

        private static void ObjectsAndStrings(Intracommunicator comm)
        {
            string expected = string.Concat(Enumerable.Range(0, comm.Size).Select(r => r.ToString()));
            Expect.Equal(expected, comm.Allreduce(comm.Rank.ToString(), (x, y) => x + y), "strings one after the other");
            string[] pair = { "a", comm.Rank.ToString() };
            Expect.Same(
                new[] { new string('a', comm.Size), expected }, comm.Allreduce(pair, (x, y) => x + y), "arrays of strings");
            Person oldest = comm.Reduce(new Person { Age = comm.Rank }, (x, y) => x.Age > y.Age ? x : y, 0);
            if (comm.Rank == 0)
            {
                Expect.Equal(comm.Size - 1, oldest.Age, "the oldest");
            }
        }

        private static void Scans(Intracommunicator comm)
        {
            int mine = comm.Rank + 1;
            Expect.Equal(mine * (mine + 1) / 2, comm.Scan(mine, Operation<int>.Add), "the sum up to here");
            Expect.Equal(mine * (mine - 1) / 2, comm.ExclusiveScan(mine, Operation<int>.Add), "the sum before");
            string text = string.Concat(Enumerable.Range(0, mine).Select(r => r.ToString()));
            Expect.Equal(text, comm.Scan(comm.Rank.ToString(), (x, y) => x + y), "strings up to here");
        }

        private static void ScatteredSums(Intracommunicator comm)
        {
            int[] counts = Enumerable.Range(1, comm.Size).ToArray();
            int[] values = Enumerable.Range(0, counts.Sum()).ToArray();
            int first = comm.Rank * (comm.Rank + 1) / 2;
            Expect.Same(
                Enumerable.Range(first, comm.Rank + 1).Select(i => i * comm.Size).ToArray(),
                comm.ReduceScatter(values, Operation<int>.Add, counts), "my sums");
        }

        private static int Fail()
        {
            throw new InvalidTimeZoneException("of a lambda");
        }

        private static void FailingLambdas(Intracommunicator comm)
        {
            if (comm.Size == 1)
            {
                return; // nothing to combine
            }
            bool failed = false;
            try
            {
                comm.Reduce(1, (x, y) => Fail(), 0);
            }
            catch (InvalidTimeZoneException)
            {
                failed = true;
            }
            Expect.True(comm.Allreduce(failed, Operation<bool>.LogicalOr), "the exception comes out");
        }
    }
}
