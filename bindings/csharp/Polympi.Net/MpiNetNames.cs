using System.ComponentModel;

namespace MPI
{
    /// <content>Names that MPI.NET has in small letters, so that its programs compile.</content>
    public abstract partial class Communicator
    {
        /// <summary><see cref="World"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Intracommunicator world => World;

        /// <summary><see cref="Self"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Intracommunicator self => Self;

        /// <summary><see cref="AnySource"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static int anySource => AnySource;

        /// <summary><see cref="AnyTag"/>.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static int anyTag => AnyTag;
    }
}
