using System.Runtime.InteropServices;
#if NETCOREAPP3_0_OR_GREATER
using System;
#endif

namespace MPI
{
    /// <summary>
    /// Finds libpolympi_net.so. Every runtime looks next to this assembly and where the system has its libraries.
    /// CoreCLR looks first where the variable POLYMPI_NET_LIBRARY says, so that one assembly serves several MPIs.
    /// </summary>
    internal static class NativeLoader
    {
        internal const string Variable = "POLYMPI_NET_LIBRARY";

        [DllImport("libc", EntryPoint = "setenv")]
        private static extern int SetVariable(string name, string value, int overwrite);

        private static bool isDone;

        /// <summary>Called before the library is loaded: Mono does that when it compiles a method that calls it.</summary>
        internal static void Prepare()
        {
            if (isDone)
            {
                return;
            }
            isDone = true;
            // Signals belong to the runtime: UCX, which many an MPI uses, would take that of a null reference for a
            // crash. It reads this when it is loaded, and only from the environment of C.
            SetVariable("UCX_ERROR_SIGNALS", "", 0);
#if NETCOREAPP3_0_OR_GREATER
            NativeLibrary.SetDllImportResolver(typeof(NativeLoader).Assembly, (name, assembly, path) =>
            {
                string chosen = System.Environment.GetEnvironmentVariable(Variable);
                if (name != Native.Library || string.IsNullOrEmpty(chosen))
                {
                    return IntPtr.Zero; // the runtime then looks by itself
                }
                return NativeLibrary.Load(chosen);
            });
#endif
        }
    }
}
