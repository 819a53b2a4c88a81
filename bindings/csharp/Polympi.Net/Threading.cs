namespace MPI
{
    /// <summary>How many threads may call MPI.</summary>
    public enum Threading
    {
        /// <summary>There is one thread.</summary>
        Single,
        /// <summary>The thread that started MPI calls it.</summary>
        Funneled,
        /// <summary>One thread at a time calls MPI.</summary>
        Serialized,
        /// <summary>Any thread calls MPI at any time.</summary>
        Multiple,
    }
}
