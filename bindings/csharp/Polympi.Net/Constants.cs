using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>The constants of the MPI that runs, in the order of struct net_constants in C.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Constants
    {
#pragma warning disable 649 // C writes them
        private long commWorld, commSelf, commNull, requestNull, groupEmpty, groupNull;
        private long anySource, anyTag, procNull, root, undefined, bsendOverhead;
        private long identical, congruent, similar, unequal;
        private long threadSingle, threadFunneled, threadSerialized, threadMultiple;
        private long byteType, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64, boolean,
            packed;
        private long sum, product, minimum, maximum, logicalAnd, logicalOr, bitwiseAnd, bitwiseOr, bitwiseXor;
#pragma warning restore 649

        private static readonly Constants Here = Prepared();

        internal static readonly IntPtr CommWorld = (IntPtr)Here.commWorld;
        internal static readonly IntPtr CommSelf = (IntPtr)Here.commSelf;
        internal static readonly IntPtr CommNull = (IntPtr)Here.commNull;
        internal static readonly IntPtr RequestNull = (IntPtr)Here.requestNull;
        internal static readonly IntPtr GroupEmpty = (IntPtr)Here.groupEmpty;
        internal static readonly IntPtr GroupNull = (IntPtr)Here.groupNull;
        internal static readonly int AnySource = (int)Here.anySource;
        internal static readonly int AnyTag = (int)Here.anyTag;
        internal static readonly int ProcNull = (int)Here.procNull;
        internal static readonly int Root = (int)Here.root;
        internal static readonly int Undefined = (int)Here.undefined;
        internal static readonly int BsendOverhead = (int)Here.bsendOverhead;
        internal static readonly int[] Comparisons =
            { (int)Here.identical, (int)Here.congruent, (int)Here.similar, (int)Here.unequal };
        internal static readonly int[] ThreadLevels =
            { (int)Here.threadSingle, (int)Here.threadFunneled, (int)Here.threadSerialized, (int)Here.threadMultiple };
        internal static readonly IntPtr Byte = (IntPtr)Here.byteType;
        internal static readonly IntPtr Int8 = (IntPtr)Here.int8;
        internal static readonly IntPtr UInt8 = (IntPtr)Here.uint8;
        internal static readonly IntPtr Int16 = (IntPtr)Here.int16;
        internal static readonly IntPtr UInt16 = (IntPtr)Here.uint16;
        internal static readonly IntPtr Int32 = (IntPtr)Here.int32;
        internal static readonly IntPtr UInt32 = (IntPtr)Here.uint32;
        internal static readonly IntPtr Int64 = (IntPtr)Here.int64;
        internal static readonly IntPtr UInt64 = (IntPtr)Here.uint64;
        internal static readonly IntPtr Float32 = (IntPtr)Here.float32;
        internal static readonly IntPtr Float64 = (IntPtr)Here.float64;
        internal static readonly IntPtr Boolean = (IntPtr)Here.boolean;
        internal static readonly IntPtr Packed = (IntPtr)Here.packed;
        internal static readonly IntPtr Sum = (IntPtr)Here.sum;
        internal static readonly IntPtr Product = (IntPtr)Here.product;
        internal static readonly IntPtr Minimum = (IntPtr)Here.minimum;
        internal static readonly IntPtr Maximum = (IntPtr)Here.maximum;
        internal static readonly IntPtr LogicalAnd = (IntPtr)Here.logicalAnd;
        internal static readonly IntPtr LogicalOr = (IntPtr)Here.logicalOr;
        internal static readonly IntPtr BitwiseAnd = (IntPtr)Here.bitwiseAnd;
        internal static readonly IntPtr BitwiseOr = (IntPtr)Here.bitwiseOr;
        internal static readonly IntPtr BitwiseXor = (IntPtr)Here.bitwiseXor;

        /// <summary>
        /// Whether a root is the number of a rank. In an intercommunicator the root and the other ranks of its side give another
        /// number: they have nothing to give to a gather, and get nothing of a scatter.
        /// </summary>
        internal static bool IsRank(int root) => root != Root && root != ProcNull;

        private static Constants Prepared()
        {
            NativeLoader.Prepare();
            return Read();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static unsafe Constants Read()
        {
            Constants constants = default(Constants);
            Native.Constants(&constants);
            return constants;
        }
    }
}
