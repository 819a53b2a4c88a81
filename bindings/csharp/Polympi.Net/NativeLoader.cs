#if NETCOREAPP3_0_OR_GREATER
using System;
using System.IO;
using System.Runtime.InteropServices;
#endif

namespace MPI
{
    /// <summary>
    /// Finds libpolympi_net.so. Every runtime looks beside this assembly and where the system has its libraries.
    /// CoreCLR looks first where the variable POLYMPI_NET_LIBRARY says, so that one assembly serves several MPIs.
    /// </summary>
    internal static class NativeLoader
    {
        internal const string Variable = "POLYMPI_NET_LIBRARY";

        internal static void Prepare()
        {
#if NETCOREAPP3_0_OR_GREATER
            NativeLibrary.SetDllImportResolver(typeof(NativeLoader).Assembly, (name, assembly, path) =>
            {
                string chosen = System.Environment.GetEnvironmentVariable(Variable);
                if (name != Native.Library || string.IsNullOrEmpty(chosen))
                {
                    return IntPtr.Zero; // the runtime then looks by itself
                }
                if (!File.Exists(chosen))
                {
                    throw new DllNotFoundException(Variable + " names '" + chosen + "', which does not exist.");
                }
                return NativeLibrary.Load(chosen);
            });
#endif
        }
    }
}
