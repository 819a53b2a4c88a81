using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Numerics;
using System.Runtime.Serialization;
using System.Text;

namespace MPI
{
    /// <summary>
    /// Which classes can be in messages. Those of programs travel as their fields; of those of the runtime only the ones
    /// below, so that it is the same with every runtime, and nobody gets half a stream or thread.
    /// </summary>
    internal static class Shapes
    {
        private static readonly Dictionary<Type, Func<Type, Shape>> Known = new Dictionary<Type, Func<Type, Shape>>
        {
            { typeof(string), _ => new ValueShape<string>((writer, text) => writer.String(text), reader => reader.String()) },
            { typeof(Comparers.Chosen), _ => Comparers.Shape },
            { typeof(object), type => new FieldsShape(type) },
            { typeof(Version), _ => new ValueShape<Version>(
                (writer, version) => writer.String(version.ToString()), reader => new Version(reader.String())) },
            { typeof(Uri), _ => new ValueShape<Uri>(
                (writer, uri) => writer.String(uri.OriginalString), reader => new Uri(reader.String(), UriKind.RelativeOrAbsolute)) },
            { typeof(StringBuilder), _ => new ValueShape<StringBuilder>(
                (writer, text) => writer.String(text.ToString()), reader => new StringBuilder(reader.String()), true) },
            { typeof(BitArray), _ => new BitsShape() },
            { typeof(BigInteger), Boxed },
            { typeof(KeyValuePair<,>), Boxed },
            { typeof(ArraySegment<>), Boxed },
            { typeof(ReadOnlyCollection<>), type => new FieldsShape(type) },
            { typeof(List<>), type => Sequence(type, null, null) },
            { typeof(LinkedList<>), type => Sequence(type, null, null) },
            { typeof(Collection<>), type => Sequence(type, null, null) },
            { typeof(Queue<>), type => Sequence(type, "Enqueue", null) },
            { typeof(Stack<>), type => Sequence(type, "Push", null, true) },
            { typeof(ConcurrentQueue<>), type => Sequence(type, "Enqueue", null) },
            { typeof(ConcurrentStack<>), type => Sequence(type, "Push", null, true) },
            { typeof(HashSet<>), type => Sequence(type, null, typeof(IEqualityComparer<>)) },
            { typeof(SortedSet<>), type => Sequence(type, null, typeof(IComparer<>)) },
            { typeof(Dictionary<,>), type => Map(type, typeof(IEqualityComparer<>)) },
            { typeof(ConcurrentDictionary<,>), type => Map(type, typeof(IEqualityComparer<>)) },
            { typeof(SortedDictionary<,>), type => Map(type, typeof(IComparer<>)) },
            { typeof(SortedList<,>), type => Map(type, typeof(IComparer<>)) },
            { typeof(ArrayList), type => Untyped(type, "Add", null) },
            { typeof(Queue), type => Untyped(type, "Enqueue", null) },
            { typeof(Stack), type => Untyped(type, "Push", null, true) },
            { typeof(Hashtable), type => Untyped(type, null, typeof(IEqualityComparer)) },
        };

        private static readonly Dictionary<string, Type> Names = new Dictionary<string, Type>();

        static Shapes()
        {
            foreach (Type type in new[]
            {
                typeof(Tuple<>), typeof(Tuple<,>), typeof(Tuple<,,>), typeof(Tuple<,,,>), typeof(Tuple<,,,,>),
                typeof(Tuple<,,,,,>), typeof(Tuple<,,,,,,>), typeof(Tuple<,,,,,,,>),
            })
            {
                Known.Add(type, one => new FieldsShape(one));
            }
            foreach (Type type in new[]
            {
                typeof(ValueTuple<>), typeof(ValueTuple<,>), typeof(ValueTuple<,,>), typeof(ValueTuple<,,,>),
                typeof(ValueTuple<,,,,>), typeof(ValueTuple<,,,,,>), typeof(ValueTuple<,,,,,,>), typeof(ValueTuple<,,,,,,,>),
            })
            {
                Known.Add(type, Boxed);
            }
            foreach (Type type in Known.Keys)
            {
                Names.Add(type.FullName, type);
            }
        }

        /// <summary>A class of the runtime that can be in messages, wherever the runtime has it; else null.</summary>
        internal static Type Named(string name) => Names.TryGetValue(name, out Type type) ? type : null;

        internal static Shape Make(Type type)
        {
            if (type.IsArray)
            {
                Type element = type.GetElementType();
                if (element.IsPointer)
                {
                    throw Refusal(type, "it has addresses");
                }
                return Shape.Create(type == element.MakeArrayType() ? typeof(ArrayShape<>) : typeof(GridShape<>), element);
            }
            Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
            if (Known.TryGetValue(definition, out Func<Type, Shape> make))
            {
                return make(type);
            }
            if (type.IsValueType)
            {
                CheckStruct(type);
                return Boxed(type);
            }
            return typeof(Exception).IsAssignableFrom(type) ? new SerializableShape(type) : Class(type);
        }

        internal static SerializationException Refusal(Type type, string why) =>
            new SerializationException(
                "A " + type + " cannot be sent: " + why
                    + ". Send what is needed of it, or choose a Serialization.Serializer that knows it.");

        /// <summary>Throws for structs of the runtime that refer to what only this process has.</summary>
        internal static void CheckStruct(Type type)
        {
            Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
            if (!FieldLayout.IsPlain(type) && TypeNames.IsOfRuntime(type) && !Known.ContainsKey(definition))
            {
                throw Refusal(type, "it belongs to the runtime of this process");
            }
        }

        private static Shape Class(Type type)
        {
            if (typeof(Delegate).IsAssignableFrom(type))
            {
                throw Refusal(type, "functions are of this process");
            }
            Type foreign = type; // the first base class that is the runtime's
            while (!TypeNames.IsOfRuntime(foreign))
            {
                foreign = foreign.BaseType;
            }
            if (foreign == typeof(object) && foreign != type)
            {
                return typeof(ISerializable).IsAssignableFrom(type) ? new SerializableShape(type) : (Shape)new FieldsShape(type);
            }
            Type definition = foreign.IsGenericType ? foreign.GetGenericTypeDefinition() : foreign;
            if (foreign == type || !Known.TryGetValue(definition, out Func<Type, Shape> make)
                || !(make(foreign) is CollectionShape collection))
            {
                throw Refusal(type, foreign == type
                    ? "it belongs to the runtime of this process"
                    : "it derives from " + foreign + ", which belongs to the runtime of this process");
            }
            return collection.Describe(type, foreign, collection.ComparerType);
        }

        private static Shape Boxed(Type type) => Shape.Create(typeof(BoxedShape<>), type);

        private static Shape Sequence(Type type, string add, Type comparer, bool isReversed = false)
        {
            Type[] element = type.GetGenericArguments();
            var shape = (CollectionShape)Activator.CreateInstance(
                typeof(SequenceShape<>).MakeGenericType(element), System.Reflection.BindingFlags.Instance
                    | System.Reflection.BindingFlags.NonPublic, null, new object[] { add, isReversed }, null);
            return shape.Describe(type, type, comparer?.MakeGenericType(element));
        }

        private static Shape Map(Type type, Type comparer)
        {
            Type[] pair = type.GetGenericArguments();
            var shape = (CollectionShape)Shape.Create(typeof(MapShape<,>), pair);
            return shape.Describe(type, type, comparer.MakeGenericType(pair[0]));
        }

        private static Shape Untyped(Type type, string add, Type comparer, bool isReversed = false) =>
            new UntypedShape(add, isReversed).Describe(type, type, comparer);
    }
}
