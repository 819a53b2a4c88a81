using System;
using System.Collections.Generic;
using System.Linq;
using MPI;

namespace Tests
{
    public class Person
    {
        public string Name { get; set; }

        public int Age { get; set; }

        public List<Person> Friends { get; set; }
    }

    public class WithFields
    {
        public int Number;
        public string Text;
    }

    public class Parcel
    {
        public int Number;
    }

    /// <summary>A serializer that knows parcels only, and counts.</summary>
    public class Counting : ISerializer
    {
        public int Count;

        public byte[] Serialize<T>(T value)
        {
            Count++;
            return BitConverter.GetBytes(((Parcel)(object)value).Number);
        }

        public T Deserialize<T>(byte[] bytes) =>
            (T)(object)new Parcel { Number = BitConverter.ToInt32(bytes, 0) };
    }

    internal static class Objects
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Strings, Classes, FieldsOfClasses, Collections, ArraysOfStrings, Nulls, OwnSerializer,
        };

        private static T Round<T>(Intracommunicator comm, T value)
        {
            comm.SendReceive(value, (comm.Rank + 1) % comm.Size, 5, (comm.Rank + comm.Size - 1) % comm.Size, 5, out T other);
            return other;
        }

        private static void Strings(Intracommunicator comm)
        {
            Expect.Equal("", Round(comm, ""), "an empty string");
            Expect.Equal("Grüße, 世界 🙂", Round(comm, "Grüße, 世界 🙂"), "a string");
        }

        private static void Classes(Intracommunicator comm)
        {
            Person friend = new Person { Name = "Ada", Age = 36 };
            Person other = Round(comm, new Person { Name = "Grace", Age = 85, Friends = new List<Person> { friend } });
            Expect.True(
                other.Name == "Grace" && other.Age == 85 && other.Friends.Single().Name == "Ada", "an object");
        }

        private static void FieldsOfClasses(Intracommunicator comm)
        {
            WithFields other = Round(comm, new WithFields { Number = 7, Text = "seven" });
            Expect.True(other.Number == 7 && other.Text == "seven", "public fields arrive");
        }

        private static void Collections(Intracommunicator comm)
        {
            Dictionary<string, List<double>> map = Round(
                comm, new Dictionary<string, List<double>> { { "a", new List<double> { 1, 2.5 } } });
            Expect.True(map.Count == 1 && map["a"][1] == 2.5, "a map of lists");
        }

        private static void ArraysOfStrings(Intracommunicator comm) =>
            Expect.Same(new[] { "a", "bc", "" }, Round(comm, new[] { "a", "bc", "" }), "an array of strings");

        private static void Nulls(Intracommunicator comm) =>
            Expect.True(Round<Person>(comm, null) == null, "null arrives");

        private static void OwnSerializer(Intracommunicator comm)
        {
            ISerializer before = Serialization.Serializer;
            var counting = new Counting();
            Serialization.Serializer = counting;
            try
            {
                Expect.Equal(4711, Round(comm, new Parcel { Number = 4711 }).Number, "what the serializer kept");
                Expect.Equal(1, counting.Count, "how often it was asked");
            }
            finally
            {
                Serialization.Serializer = before;
            }
        }
    }
}
