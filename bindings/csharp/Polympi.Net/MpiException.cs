using System;

namespace MPI
{
    /// <summary>The classes of errors of the MPI standard.</summary>
    public enum ErrorClass
    {
        /// <summary>No error.</summary>
        Success,
        /// <summary>The buffer is not valid.</summary>
        Buffer,
        /// <summary>The number of elements is not valid.</summary>
        Count,
        /// <summary>The datatype is not valid.</summary>
        Type,
        /// <summary>The tag is not valid.</summary>
        Tag,
        /// <summary>The communicator is not valid.</summary>
        Comm,
        /// <summary>The rank is not valid.</summary>
        Rank,
        /// <summary>The root is not valid.</summary>
        Root,
        /// <summary>The group is not valid.</summary>
        Group,
        /// <summary>The operation is not valid.</summary>
        Op,
        /// <summary>The topology is not valid.</summary>
        Topology,
        /// <summary>The dimensions are not valid.</summary>
        Dims,
        /// <summary>Another argument is not valid.</summary>
        Arg,
        /// <summary>MPI does not know.</summary>
        Unknown,
        /// <summary>A message was longer than the place for it.</summary>
        Truncate,
        /// <summary>Another error, which its text describes.</summary>
        Other,
        /// <summary>MPI failed by itself.</summary>
        Intern,
        /// <summary>The request is not valid.</summary>
        Request,
        /// <summary>The request is not complete.</summary>
        Pending,
        /// <summary>The error is in a status.</summary>
        InStatus,
        /// <summary>There is no memory.</summary>
        NoMem,
    }

    /// <summary>An error that MPI reports.</summary>
    public class MpiException : Exception
    {
        internal MpiException(string message, int code, ErrorClass errorClass) : base(message)
        {
            ErrorCode = code;
            ErrorClass = errorClass;
        }

        /// <summary>The code of this MPI.</summary>
        public int ErrorCode { get; }

        /// <summary>The class of the error, the same with every MPI.</summary>
        public ErrorClass ErrorClass { get; }
    }

    /// <summary>A message was longer than the place for it, or was not of the size of the type that was asked for.</summary>
    public sealed class MessageTruncatedException : MpiException
    {
        internal MessageTruncatedException(string message, int code) : base(message, code, ErrorClass.Truncate)
        {
        }
    }

    /// <summary>MPI refused a communicator, group, datatype, operation or request.</summary>
    public sealed class InvalidHandleException : MpiException
    {
        internal InvalidHandleException(string message, int code, ErrorClass errorClass)
            : base(message, code, errorClass)
        {
        }
    }

    /// <summary>MPI refused an argument.</summary>
    public sealed class MpiArgumentException : MpiException
    {
        internal MpiArgumentException(string message, int code, ErrorClass errorClass)
            : base(message, code, errorClass)
        {
        }
    }

    /// <summary>A buffered send has no room left in what <see cref="Buffer.Attach(int)"/> attached, or memory is at its end.</summary>
    public sealed class MpiBufferException : MpiException
    {
        internal MpiBufferException(string message, int code, ErrorClass errorClass)
            : base(message, code, errorClass)
        {
        }
    }
}
