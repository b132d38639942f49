/** How the letters of a file are written as bytes. */
export type Encoding =
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | 'windows-1252'
  | 'windows-1256'
  | 'windows-1251'
  | 'macintosh';

export interface DecodedText {
  text: string;
  encoding: Encoding;
  /** Whether the file does not say it, so that its letters may be others. */
  isGuessed: boolean;
}

/**
 * Decodes a text file. Excel saves a CSV file in the encoding of its system, and "Unicode text" as UTF-16,
 * unless its user chooses UTF-8.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const [first, second] = bytes;
  const known =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(known, { fatal: known === 'utf-8' }).decode(bytes);
    return { text, encoding: known, isGuessed: false };
  } catch {
    const encoding = guessEncoding(bytes);
    return { text: new TextDecoder(encoding).decode(bytes), encoding, isGuessed: true };
  }
}

// As much as a guess needs.
const MAX_GUESSED_BYTES = 200_000;
/** Letters of French that Windows-1256 has between those of Arabic, and vowels of Russian in Windows-1251. */
const NOT_ARABIC = new Set([0xe0, 0xe2, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xee, 0xef, 0xf4, 0xf9, 0xfb, 0xfc]);

function guessEncoding(bytes: Uint8Array): Encoding {
  const part = bytes.subarray(0, MAX_GUESSED_BYTES);
  // Languages with Latin letters hardly ever have three letters with accents in a row.
  const words = findWords(part);
  const inWords = words.reduce((sum, word) => sum + word.length, 0);
  const all = part.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0);
  if (inWords > all * 0.6) {
    const isRare = words.flatMap((word) => [...word]).filter((byte) => NOT_ARABIC.has(byte)).length;
    const hasSmall = words.some((word) => word.some((byte) => byte >= 0xe0));
    return isRare < inWords * 0.05 && hasSmall ? 'windows-1256' : 'windows-1251';
  }
  const [windows, macintosh] = (['windows-1252', 'macintosh'] as const).map((encoding) =>
    countUnlikely(new TextDecoder(encoding).decode(part)),
  );
  return (macintosh ?? 0) < (windows ?? 0) ? 'macintosh' : 'windows-1252';
}

/** Three or more bytes in a row that are not ASCII. */
function findWords(bytes: Uint8Array): Uint8Array[] {
  const words: Uint8Array[] = [];
  let start = 0;
  for (let end = 0; end <= bytes.length; end += 1) {
    if ((bytes[end] ?? 0) >= 0x80) continue;
    if (end - start >= 3) words.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return words;
}

/**
 * How often a text has something that words do not have: a sign or a capital letter inside, or a control
 * character.
 */
function countUnlikely(text: string): number {
  const patterns = [
    /(?<=\p{Ll})(?=\P{ASCII})\p{Lu}/gu,
    /(?<=\p{L})(?=\P{ASCII})[^\p{L}\p{M}’\s](?=\p{L})/gu,
    /(?<![\p{L}\p{N}])(?=\P{ASCII})[\p{S}…†‡•‰](?=\p{L})/gu,
    /[\u0080-\u009f]/g,
  ];
  return patterns.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0);
}
