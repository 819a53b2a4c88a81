using System;

namespace Applications
{
    /// <summary>A solver. Its methods are collective: all ranks call them.</summary>
    public interface ISolver : IDisposable
    {
        /// <summary>This rank's part of the result; valid until the next call of <see cref="Advance"/>.</summary>
        Part Part { get; }

        /// <summary>Nanoseconds that this rank has spent in calls of communication.</summary>
        long CommunicationNs { get; }

        /// <summary>Goes back to the state before the first iteration.</summary>
        void Restart();

        /// <summary>Makes this many iterations.</summary>
        /// <param name="iterations">How many.</param>
        void Advance(long iterations);
    }

    /// <summary>
    /// A rank's part of a result, without ghost layers: element (i, j, k) of the part, which is
    /// (Start[0] + i, Start[1] + j, Start[2] + k) of the whole, is
    /// Values[i * Stride[0] + j * Stride[1] + k * Stride[2]].
    /// Dimensions that the result does not have: start 0, count 1, stride 0.
    /// </summary>
    public unsafe struct Part
    {
        /// <summary>The first element.</summary>
        public double* Values;

        /// <summary>The place of the first element in the whole.</summary>
        public fixed long Start[3];

        /// <summary>How many elements there are along each axis.</summary>
        public fixed long Count[3];

        /// <summary>How far apart neighbours along each axis are, in elements.</summary>
        public fixed long Stride[3];
    }
}
