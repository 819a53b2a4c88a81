using System;
using System.IO;
using System.Text;

namespace MPI
{
    /// <summary>
    /// Strings as UTF-8. A surrogate without its partner, which UTF-8 does not have, takes three bytes like other
    /// characters of its size (WTF-8), so that every string arrives as it was.
    /// </summary>
    internal static unsafe class Text
    {
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        internal static byte[] Encode(string text)
        {
            try
            {
                return Strict.GetBytes(text);
            }
            catch (EncoderFallbackException)
            {
                return EncodeOneByOne(text);
            }
        }

        internal static string Decode(byte* bytes, int count)
        {
            try
            {
                return count == 0 ? "" : Strict.GetString(bytes, count);
            }
            catch (DecoderFallbackException)
            {
                return DecodeOneByOne(bytes, count);
            }
        }

        private static byte[] EncodeOneByOne(string text)
        {
            var bytes = new MemoryStream(3 * text.Length);
            for (int i = 0; i < text.Length; i++)
            {
                char one = text[i];
                if (char.IsSurrogatePair(text, i))
                {
                    bytes.Write(Strict.GetBytes(text.Substring(i, 2)), 0, 4);
                    i++;
                }
                else if (char.IsSurrogate(one))
                {
                    bytes.WriteByte(0xED);
                    bytes.WriteByte((byte)(0x80 | one >> 6 & 0x3F));
                    bytes.WriteByte((byte)(0x80 | one & 0x3F));
                }
                else
                {
                    byte[] usual = Strict.GetBytes(text.Substring(i, 1));
                    bytes.Write(usual, 0, usual.Length);
                }
            }
            return bytes.ToArray();
        }

        private static string DecodeOneByOne(byte* bytes, int count)
        {
            var text = new StringBuilder(count);
            for (int i = 0, length; i < count; i += length)
            {
                byte first = bytes[i];
                length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
                if (first == 0xED && count - i >= 3 && bytes[i + 1] >= 0xA0)
                {
                    text.Append((char)(0xD000 | (bytes[i + 1] & 0x3F) << 6 | bytes[i + 2] & 0x3F));
                    continue;
                }
                text.Append(Strict.GetString(bytes + i, Math.Min(length, count - i)));
            }
            return text.ToString();
        }
    }
}
