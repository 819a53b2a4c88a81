using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.Serialization;

namespace MPI
{
    /// <summary>Exceptions, and classes that say themselves what is in their messages.</summary>
    internal sealed class SerializableShape : Shape
    {
        private static readonly Type[] Arguments = { typeof(SerializationInfo), typeof(StreamingContext) };

        private readonly Type type;
        private readonly ConstructorInfo constructor;

        internal SerializableShape(Type type)
        {
            this.type = type;
            constructor = type.GetConstructor(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic, null, Arguments, null);
            if (constructor == null)
            {
                throw Shapes.Refusal(
                    type, "it is ISerializable without a constructor that takes SerializationInfo and StreamingContext");
            }
        }

        internal override void Write(ObjectWriter writer, object value)
        {
            SerializationInfo info = Info();
            ((ISerializable)value).GetObjectData(info, Context());
            writer.Int(info.MemberCount);
            foreach (SerializationEntry entry in info)
            {
                writer.String(entry.Name);
                Slot<object>.Default.Write(writer, entry.Value);
            }
        }

        internal override object Create(ObjectReader reader) => FormatterServices.GetUninitializedObject(type);

        internal override void Fill(ObjectReader reader, object value)
        {
            SerializationInfo info = Info();
            for (int left = reader.Length(2); left > 0; left--)
            {
                string name = reader.String();
                info.AddValue(name, Slot<object>.Default.Read(reader));
            }
            reader.AtTheEnd(() =>
            {
                constructor.Invoke(value, new object[] { info, Context() });
                (value as IDeserializationCallback)?.OnDeserialization(null);
            });
        }

        private SerializationInfo Info() => new SerializationInfo(type, new FormatterConverter());

        private static StreamingContext Context() => new StreamingContext(StreamingContextStates.Other);
    }
}
