using System;
using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.Serialization;

namespace MPI
{
    /// <summary>Types in messages: those of the runtime by their name alone, so that it may be another runtime.</summary>
    internal static class TypeNames
    {
        private const byte Simple = 0, Array = 1, Generic = 2;

        /// <summary>The rank of arrays that begin at 0, unlike others of one dimension.</summary>
        private const int Usual = 0;

        private static readonly ConcurrentDictionary<string, Type> Found = new ConcurrentDictionary<string, Type>();

        private static readonly ConcurrentDictionary<Type, byte[]> Names = new ConcurrentDictionary<Type, byte[]>();

        /// <summary>What stands for a type in a message.</summary>
        internal static byte[] Of(Type type) => Names.GetOrAdd(type, one =>
        {
            var writer = new ObjectWriter();
            Write(writer, one);
            return writer.ToArray();
        });

        private static void Write(ObjectWriter writer, Type type)
        {
            if (type.IsArray)
            {
                writer.Byte(Array);
                Type element = type.GetElementType();
                writer.Int(type == element.MakeArrayType() ? Usual : type.GetArrayRank());
                Write(writer, element);
                return;
            }
            if (type.IsGenericType && !type.IsGenericTypeDefinition)
            {
                writer.Byte(Generic);
                Write(writer, type.GetGenericTypeDefinition());
                foreach (Type argument in type.GetGenericArguments())
                {
                    Write(writer, argument);
                }
                return;
            }
            writer.Byte(Simple);
            writer.String(type.FullName);
            writer.String(IsOfRuntime(type) ? "" : type.Assembly.GetName().Name);
        }

        internal static Type Read(ObjectReader reader)
        {
            switch (reader.Byte())
            {
                case Simple:
                    return Find(reader.String(), reader.String());
                case Array:
                    int rank = reader.Int();
                    Type element = Read(reader);
                    return rank == Usual ? element.MakeArrayType() : element.MakeArrayType(rank);
                default:
                    Type definition = Read(reader);
                    return definition.MakeGenericType(
                        System.Array.ConvertAll(definition.GetGenericArguments(), one => Read(reader)));
            }
        }

        /// <summary>Whether a type belongs to the runtime, and not to a program or one of its libraries.</summary>
        internal static bool IsOfRuntime(Type type)
        {
            string assembly = type.Assembly.GetName().Name;
            return assembly == "mscorlib" || assembly == "System" || assembly == "netstandard"
                || assembly == "WindowsBase" || assembly.StartsWith("System.", StringComparison.Ordinal)
                || assembly.StartsWith("Microsoft.", StringComparison.Ordinal)
                || assembly.StartsWith("Mono.", StringComparison.Ordinal);
        }

        private static Type Find(string name, string assembly) =>
            Found.GetOrAdd(assembly + "/" + name, _ =>
                Shapes.Named(name)
                    ?? (assembly == "" ? OfRuntime(name) : Type.GetType(name + ", " + assembly))
                    ?? throw new SerializationException(
                        "An object of the class " + name + " has arrived, which "
                            + (assembly == "" ? "this runtime" : "the assembly " + assembly) + " of this rank does not have."));

        private static Type OfRuntime(string name)
        {
            foreach (Assembly one in AppDomain.CurrentDomain.GetAssemblies())
            {
                Type type = one.GetType(name);
                if (type != null && IsOfRuntime(type))
                {
                    return type;
                }
            }
            return null;
        }
    }
}
