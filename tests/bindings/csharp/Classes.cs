using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Tests
{
    [Serializable]
    public class Hidden
    {
        private readonly int x;
        private string s;

        public Hidden(int x)
        {
            this.x = x;
            s = "s" + x;
        }

        public override string ToString() => x + s;
    }

    public class Closed
    {
        public Closed(int x)
        {
            X = x;
        }

        public int X { get; private set; }
    }

    public class Animal
    {
        public string Name = "animal";
        private int secret = 1;

        public int Secret() => secret++;
    }

    public class Dog : Animal
    {
        public int Age = 3;
    }

    public class Owner
    {
        public Animal Pet = new Dog();
        public object Number = 5L;
        public int? Maybe = 7;
        public int? Nothing;
        public KeyValuePair<string, Animal> Named = new KeyValuePair<string, Animal>("rex", new Dog());
        public IList<Animal> Animals = new Animal[] { new Animal(), new Dog(), null };
    }

    public class Ring
    {
        public Ring Next;
        public int Number;
    }

    public class Keyed
    {
        public string Name;
        public Dictionary<Keyed, int> Others = new Dictionary<Keyed, int>();

        public override bool Equals(object other) => (other as Keyed)?.Name == Name;

        public override int GetHashCode() => Name.Length;
    }

    public class ByLength : IEqualityComparer<string>, IComparer<string>
    {
        public bool Equals(string x, string y) => x.Length == y.Length;

        public int GetHashCode(string text) => text.Length;

        public int Compare(string x, string y) => x.Length - y.Length;
    }

    public class Named : List<int>
    {
        public string Name = "numbers";
    }

    public class WithoutConstructor : List<int>
    {
        public WithoutConstructor(int first)
        {
            Add(first);
        }
    }

    public class WithEvent
    {
        public int Number = 1;

        public event Action Changed;

        public void Listen() => Changed += () => Number++;
    }

    public class WithCache
    {
        [NonSerialized]
        public int Cache = 9;
        public int Number = 1;
        public int Restored;

        [OnDeserialized]
        private void Restore(StreamingContext context) => Restored = Number;
    }

    [Serializable]
    public class Own : ISerializable
    {
        public int Number;

        public Own()
        {
        }

        protected Own(SerializationInfo info, StreamingContext context)
        {
            Number = info.GetInt32("n");
        }

        public void GetObjectData(SerializationInfo info, StreamingContext context) => info.AddValue("n", Number);
    }

    public class PoorException : Exception
    {
        public int Number = 3;
    }

    public struct Mixed
    {
        public string Text;
        public int Number;
        internal Animal Animal;

        public Mixed(int number)
        {
            Number = number;
            Text = "t" + number;
            Animal = new Dog();
        }
    }

    /// <summary>All is set by the constructor alone, as in a record.</summary>
    public class Fixed
    {
        public Fixed(string name, params int[] numbers)
        {
            Name = name;
            Numbers = numbers;
        }

        public string Name { get; }

        public IReadOnlyList<int> Numbers { get; }
    }

    public readonly struct Place
    {
        private readonly double x;
        private readonly float y;

        public Place(double x, float y)
        {
            this.x = x;
            this.y = y;
        }

        public double Sum => x + y;
    }

    public readonly struct Labelled
    {
        private readonly string label;
        private readonly Place point;
        private readonly Colour? colour;

        public Labelled(string label, Place point, Colour? colour)
        {
            this.label = label;
            this.point = point;
            this.colour = colour;
        }

        public override string ToString() => label + point.Sum + colour;
    }

    public class Tree<T>
    {
        private readonly List<Tree<T>> children = new List<Tree<T>>();
        private Tree<T> parent;

        public T Value;

        public Tree<T> Add(Tree<T> child)
        {
            child.parent = this;
            children.Add(child);
            return this;
        }

        public Tree<T> Parent => parent;

        /// <summary>A class in a class, which nobody else sees.</summary>
        private sealed class Inner
        {
            public T[] Values;
        }

        public static object MakeInner(params T[] values) => new Inner { Values = values };
    }

    public enum Colour : byte
    {
        Red = 1,
        Green = 200,
    }
}
