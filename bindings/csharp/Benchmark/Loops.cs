namespace Benchmark
{
    /// <summary>One iteration. A struct, so that the loop is compiled separately for each, with it inside.</summary>
    internal interface IIteration
    {
        void Once();
    }

    /// <summary>The loops of one case on one rank, and what they need before and after.</summary>
    internal abstract unsafe class Loops
    {
        public abstract void Batch(int iterations);

        public abstract void Singly(int iterations, long* ns);
    }

    /// <summary>Loops of an iteration; how it is timed singly is left to those below.</summary>
    internal abstract unsafe class Loops<I> : Loops where I : struct, IIteration
    {
        protected readonly I given;

        protected Loops(I iteration)
        {
            given = iteration;
        }

        public sealed override void Batch(int iterations)
        {
            I iteration = given;
            for (int i = 0; i < iterations; i++)
            {
                iteration.Once();
            }
        }
    }

    /// <summary>Loops of two ranks.</summary>
    internal sealed unsafe class PairLoops<I> : Loops<I> where I : struct, IIteration
    {
        public PairLoops(I iteration) : base(iteration)
        {
        }

        public override void Singly(int iterations, long* ns)
        {
            I iteration = given;
            for (int i = 0; i < iterations; i++)
            {
                long start = Harness.Clock();
                iteration.Once();
                ns[i] = Harness.Clock() - start;
            }
        }
    }

    /// <summary>Loops of all ranks: a call that a rank began too late is made again.</summary>
    internal sealed unsafe class CollectiveLoops<I> : Loops<I> where I : struct, IIteration
    {
        public CollectiveLoops(I iteration) : base(iteration)
        {
        }

        public override void Singly(int iterations, long* ns)
        {
            I iteration = given;
            Harness.Agree();
            for (int i = 0; i < iterations;)
            {
                for (int k = 0; k < Harness.UntimedCalls; k++)
                {
                    iteration.Once();
                }
                long start = Harness.WaitForStart();
                iteration.Once();
                ns[i] = Harness.Clock() - start;
                i += Harness.Agree();
            }
        }
    }
}
