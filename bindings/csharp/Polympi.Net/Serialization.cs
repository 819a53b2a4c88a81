using System;
using System.IO;
using System.Runtime.Serialization;
using System.Xml;
#if NETCOREAPP3_0_OR_GREATER
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Reflection;
using System.Text.Json;
#endif

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
        private static ISerializer serializer = Choose();

        /// <summary>
        /// The serializer of all messages; the same on all ranks. At first JSON where the runtime has System.Text.Json,
        /// else data contracts in binary XML.
        /// </summary>
        public static ISerializer Serializer
        {
            get => serializer;
            set => serializer = value ?? throw new ArgumentNullException(nameof(value));
        }

        private static ISerializer Choose()
        {
#if NETCOREAPP3_0_OR_GREATER
            return new JsonSerializer();
#else
            return new ContractSerializer();
#endif
        }
    }

    /// <summary>Data contracts in binary XML (System.Runtime.Serialization).</summary>
    public sealed class ContractSerializer : ISerializer
    {
        private static class Of<T>
        {
            internal static readonly DataContractSerializer Instance = new DataContractSerializer(typeof(T));
        }

        /// <inheritdoc/>
        public byte[] Serialize<T>(T value)
        {
            using (var stream = new MemoryStream())
            {
                using (XmlDictionaryWriter writer = XmlDictionaryWriter.CreateBinaryWriter(stream, null, null, false))
                {
                    Of<T>.Instance.WriteObject(writer, value);
                }
                return stream.ToArray();
            }
        }

        /// <inheritdoc/>
        public T Deserialize<T>(byte[] bytes)
        {
            using (XmlDictionaryReader reader =
                XmlDictionaryReader.CreateBinaryReader(bytes, XmlDictionaryReaderQuotas.Max))
            {
                return (T)Of<T>.Instance.ReadObject(reader);
            }
        }
    }

#if NETCOREAPP3_0_OR_GREATER
    /// <summary>JSON (System.Text.Json).</summary>
    /// <remarks>
    /// System.Text.Json of .NET Core 3.1 leaves out public fields without a word. There, types that have some travel as
    /// data contracts.
    /// </remarks>
    public sealed class JsonSerializer : ISerializer
    {
#if NET5_0_OR_GREATER
        private static readonly JsonSerializerOptions Options = new JsonSerializerOptions { IncludeFields = true };

        private static bool Covers(Type type) => true;
#else
        private static readonly JsonSerializerOptions Options = new JsonSerializerOptions();
        private static readonly ConcurrentDictionary<Type, bool> Covered = new ConcurrentDictionary<Type, bool>();

        private static bool Covers(Type type) => Covered.GetOrAdd(type, one => Covers(one, new HashSet<Type>()));

        private static bool Covers(Type type, HashSet<Type> seen)
        {
            if (!seen.Add(type) || type.IsPrimitive || type.IsEnum || type == typeof(string) || type == typeof(decimal)
                || type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(Guid))
            {
                return true;
            }
            if (type.HasElementType)
            {
                return Covers(type.GetElementType(), seen);
            }
            if (type.IsGenericType && !Array.TrueForAll(type.GetGenericArguments(), one => Covers(one, seen)))
            {
                return false;
            }
            const BindingFlags Public = BindingFlags.Instance | BindingFlags.Public;
            return type.GetFields(Public).Length == 0
                && (type.Namespace != null && type.Namespace.StartsWith("System.", StringComparison.Ordinal)
                    || Array.TrueForAll(type.GetProperties(Public), one => Covers(one.PropertyType, seen)));
        }
#endif
        private static readonly ISerializer Otherwise = new ContractSerializer();

        private static class Of<T>
        {
            internal static readonly bool IsCovered = Covers(typeof(T));
        }

        /// <inheritdoc/>
        public byte[] Serialize<T>(T value) =>
            Of<T>.IsCovered
                ? System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(value, Options)
                : Otherwise.Serialize(value);

        /// <inheritdoc/>
        public T Deserialize<T>(byte[] bytes) =>
            Of<T>.IsCovered
                ? System.Text.Json.JsonSerializer.Deserialize<T>(bytes, Options)
                : Otherwise.Deserialize<T>(bytes);
    }
#endif
}
