using System;

namespace MPI
{
    /// <content>
    /// Collective calls on one value of each rank: numbers, structs, arrays, strings and objects. In an
    /// <see cref="Intercommunicator"/> the ranks of one side give, and those of the other get.
    /// </content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Gives a value of the root to all ranks.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="value">On the root what it gives, elsewhere what arrives.</param>
        /// <param name="root">The rank that gives it.</param>
        public void Broadcast<T>(ref T value, int root)
        {
            CheckRoot(root);
            Codec<T>.Default.Broadcast(this, ref value, root);
        }

        /// <summary>Gives an array of the root to all ranks, which need not know its length.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">On the root what it gives, elsewhere what arrives.</param>
        /// <param name="root">The rank that gives it.</param>
        public void Broadcast<T>(ref T[] values, int root)
        {
            CheckRoot(root);
            Codec<T[]>.Default.Broadcast(this, ref values, root);
        }

        /// <summary>Collects one value of each rank on the root.</summary>
        /// <typeparam name="T">The type of the values: with arrays, whose lengths may differ, the result is jagged.</typeparam>
        /// <param name="value">What this rank gives.</param>
        /// <param name="root">The rank that gets all.</param>
        /// <returns>The values in the order of the ranks on the root, else null.</returns>
        public T[] Gather<T>(T value, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.Gather(this, value, root);
        }

        /// <summary>Collects one value of each rank on all ranks.</summary>
        /// <typeparam name="T">The type of the values: with arrays, whose lengths may differ, the result is jagged.</typeparam>
        /// <param name="value">What this rank gives.</param>
        public T[] Allgather<T>(T value) => Codec<T>.Default.Allgather(this, value);

        /// <summary>Gives each rank its value; called on the root.</summary>
        /// <typeparam name="T">The type of the values, which may be arrays of different lengths.</typeparam>
        /// <param name="values">One value for each rank.</param>
        /// <returns>The value of the root itself.</returns>
        public T Scatter<T>(T[] values) => Scatter(values, RootHere);

        /// <summary>Gets this rank's value of the root; called on all ranks but the root.</summary>
        /// <typeparam name="T">The type of the values.</typeparam>
        /// <param name="root">The rank that gives the values.</param>
        public T Scatter<T>(int root) => Scatter<T>(null, root);

        /// <summary>Gives each rank its value.</summary>
        /// <typeparam name="T">The type of the values, which may be arrays of different lengths.</typeparam>
        /// <param name="values">On the root one value for each rank; elsewhere it does not matter.</param>
        /// <param name="root">The rank that gives the values.</param>
        /// <returns>The value of this rank.</returns>
        public T Scatter<T>(T[] values, int root)
        {
            CheckRoot(root);
            if (IsRoot(root))
            {
                Counts.CheckRanks(values, Peers, nameof(values));
            }
            return Codec<T>.Default.Scatter(this, values, root);
        }

        /// <summary>Gives a value to each rank, and gets one of each.</summary>
        /// <typeparam name="T">The type of the values, which may be arrays of different lengths.</typeparam>
        /// <param name="values">One value for each rank.</param>
        /// <returns>What the ranks gave this one, in their order.</returns>
        public T[] Alltoall<T>(T[] values)
        {
            Counts.CheckRanks(values, Peers, nameof(values));
            return Codec<T>.Default.Alltoall(this, values);
        }

        /// <summary>Combines the values of all ranks on the root.</summary>
        /// <typeparam name="T">The type of the values.</typeparam>
        /// <param name="value">What this rank gives.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function.</param>
        /// <param name="root">The rank that gets the result.</param>
        /// <returns>The result on the root, else default.</returns>
        public T Reduce<T>(T value, ReductionOperation<T> operation, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.Reduce(this, value, operation, root);
        }

        /// <summary>Combines arrays of all ranks, element by element, on the root.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">What this rank gives; all have the same length.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function of two elements.</param>
        /// <param name="root">The rank that gets the result.</param>
        /// <returns>The result on the root, else null.</returns>
        public T[] Reduce<T>(T[] values, ReductionOperation<T> operation, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.ReduceEach(this, values, operation, root);
        }

        /// <summary>Combines the values of all ranks on all ranks.</summary>
        /// <inheritdoc cref="Reduce{T}(T, ReductionOperation{T}, int)" path="/param|/typeparam"/>
        public T Allreduce<T>(T value, ReductionOperation<T> operation) =>
            Codec<T>.Default.Allreduce(this, value, operation);

        /// <summary>Combines arrays of all ranks, element by element, on all ranks.</summary>
        /// <inheritdoc cref="Reduce{T}(T[], ReductionOperation{T}, int)" path="/param|/typeparam"/>
        public T[] Allreduce<T>(T[] values, ReductionOperation<T> operation) =>
            Codec<T>.Default.AllreduceEach(this, values, operation);
    }
}
