using System;
using System.Collections.Generic;

namespace MPI
{
    /// <summary>What a clone of a communicator gets of an attribute.</summary>
    public enum AttributeDuplication
    {
        /// <summary>Nothing.</summary>
        None,
        /// <summary>The same value: numbers as they are then, others in common.</summary>
        Shallow,
        /// <summary>A copy.</summary>
        Deep,
    }

    /// <summary>A key of values that communicators carry with them.</summary>
    public sealed class Attribute : IDisposable
    {
        private readonly Type type;

        private Attribute(Type type, AttributeDuplication duplication)
        {
            this.type = type;
            Duplication = duplication;
        }

        /// <summary>What a clone of a communicator gets.</summary>
        public AttributeDuplication Duplication { get; }

        /// <summary>Makes a key.</summary>
        /// <typeparam name="T">The type of the values.</typeparam>
        /// <param name="duplication">What a clone of a communicator gets.</param>
        public static Attribute Create<T>(AttributeDuplication duplication) => new Attribute(typeof(T), duplication);

        /// <summary>Nothing has to be given up.</summary>
        public void Dispose()
        {
        }

        internal void Check(object value)
        {
            if (!type.IsInstanceOfType(value))
            {
                throw new ArgumentException(
                    "The attribute holds a " + type.Name + ", not " + (value == null ? "null" : "a " + value.GetType().Name) + ".",
                    nameof(value));
            }
        }

        internal AttributeSet.Place Duplicate(AttributeSet.Place from)
        {
            if (Duplication == AttributeDuplication.Shallow)
            {
                return type.IsPrimitive ? new AttributeSet.Place { Value = from.Value } : from;
            }
            return new AttributeSet.Place { Value = Copy(from.Value) };
        }

        private static object Copy(object value)
        {
            if (value is ICloneable cloneable)
            {
                return cloneable.Clone();
            }
            return value.GetType().IsPrimitive ? value : Objects.Deserialize<object>(Objects.Serialize(value));
        }

        private static readonly ObjectSerializer Objects = new ObjectSerializer();
    }

    /// <summary>The values that a communicator carries with it.</summary>
    public sealed class AttributeSet
    {
        private readonly Dictionary<Attribute, Place> places = new Dictionary<Attribute, Place>();

        internal AttributeSet()
        {
        }

        /// <summary>Where a value is: several communicators may have it in common.</summary>
        internal sealed class Place
        {
            internal object Value { get; set; }
        }

        /// <summary>The value of an attribute; null if there is none.</summary>
        /// <param name="attribute">The attribute.</param>
        public object this[Attribute attribute]
        {
            get => places.TryGetValue(attribute, out Place place) ? place.Value : null;
            set
            {
                attribute.Check(value);
                if (!places.TryGetValue(attribute, out Place place))
                {
                    places.Add(attribute, place = new Place());
                }
                place.Value = value;
            }
        }

        /// <summary>Takes an attribute off this communicator.</summary>
        /// <param name="attribute">The attribute.</param>
        public void Remove(Attribute attribute) => places.Remove(attribute);

        internal void CopyTo(AttributeSet clone)
        {
            foreach (KeyValuePair<Attribute, Place> one in places)
            {
                if (one.Key.Duplication != AttributeDuplication.None)
                {
                    clone.places.Add(one.Key, one.Key.Duplicate(one.Value));
                }
            }
        }
    }
}
