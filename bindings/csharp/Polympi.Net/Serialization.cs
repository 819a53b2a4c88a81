using System;
using System.Reflection;

namespace MPI
{
    /// <summary>Turns objects into bytes and back.</summary>
    public interface ISerializer
    {
        /// <summary>The bytes of a value.</summary>
        /// <typeparam name="T">The type that the receiver asks for.</typeparam>
        /// <param name="value">The value.</param>
        byte[] Serialize<T>(T value);

        /// <summary>The value of bytes.</summary>
        /// <typeparam name="T">The type of the value.</typeparam>
        /// <param name="bytes">What <see cref="Serialize{T}"/> made.</param>
        T Deserialize<T>(byte[] bytes);
    }

    /// <summary>How objects become messages that are neither numbers, structs of numbers, arrays of these, nor strings.</summary>
    public static class Serialization
    {
        private static ISerializer serializer = new ObjectSerializer();

        /// <summary>The serializer of all messages; the same on all ranks. At first an <see cref="ObjectSerializer"/>.</summary>
        public static ISerializer Serializer
        {
            get => serializer;
            set => serializer = value ?? throw new ArgumentNullException(nameof(value));
        }
    }

    /// <summary>
    /// Objects with all their fields, also private ones, each with the class that it really has, and objects that are
    /// there twice as one. Collections have their elements and comparers. What would not arrive as it was throws a
    /// <see cref="System.Runtime.Serialization.SerializationException"/>: functions, addresses, and classes of the
    /// runtime that belong to this process, like streams and threads.
    /// </summary>
    /// <remarks>
    /// Fields that are <see cref="NonSerializedAttribute"/> stay behind. A class that is
    /// <see cref="System.Runtime.Serialization.ISerializable"/> says itself what is sent.
    /// </remarks>
    public sealed class ObjectSerializer : ISerializer
    {
        /// <inheritdoc/>
        public byte[] Serialize<T>(T value)
        {
            try
            {
                var writer = new ObjectWriter();
                Slot<object>.Default.Write(writer, value);
                return writer.ToArray();
            }
            catch (Exception wrapped) when (Cause(wrapped) != wrapped)
            {
                throw Cause(wrapped);
            }
        }

        /// <inheritdoc/>
        public T Deserialize<T>(byte[] bytes)
        {
            try
            {
                var reader = new ObjectReader(bytes);
                object value = Slot<object>.Default.Read(reader);
                reader.Finish();
                return value is T || value == null
                    ? (T)value
                    : throw new InvalidCastException(
                        "A " + value.GetType() + " has arrived, which is no " + typeof(T) + ".");
            }
            catch (Exception wrapped) when (Cause(wrapped) != wrapped)
            {
                throw Cause(wrapped);
            }
        }

        /// <summary>What happened in the initializer of a type, or a call by reflection.</summary>
        private static Exception Cause(Exception exception)
        {
            while ((exception is TypeInitializationException || exception is TargetInvocationException)
                && exception.InnerException != null)
            {
                exception = exception.InnerException;
            }
            return exception;
        }
    }
}
