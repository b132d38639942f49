import type { SourceFile } from './open-source-files.ts';

const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MARKS = {
  'utf-16le': Buffer.from([0xff, 0xfe]),
  'utf-16be': Buffer.from([0xfe, 0xff]),
} as const;

/**
 * Reads a file as text, in pieces. Excel writes UTF-8, UTF-16 or, without any mark, Windows-1252: a file
 * that is not UTF-8 is read as that. Every line break becomes `\n`.
 */
export async function* decodeText(file: SourceFile): AsyncGenerator<string> {
  const decoder = new TextDecoder(await findEncoding(file));
  let isAfterReturn = false;
  for await (const piece of file.read()) {
    const text: string = (isAfterReturn ? '\r' : '') + decoder.decode(piece, { stream: true });
    isAfterReturn = text.endsWith('\r');
    yield toLineFeeds(isAfterReturn ? text.slice(0, -1) : text);
  }
  yield toLineFeeds((isAfterReturn ? '\r' : '') + decoder.decode());
}

const toLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

async function findEncoding(file: SourceFile): Promise<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const piece of file.read()) {
    if (isFirst) {
      for (const [encoding, mark] of Object.entries(MARKS))
        if (piece.subarray(0, mark.length).equals(mark)) return encoding;
      const guess = piece.subarray(0, UTF_8_MARK.length).equals(UTF_8_MARK) ? null : guessUtf16(piece);
      if (guess !== null) return guess;
    }
    isFirst = false;
    try {
      utf8.decode(piece, { stream: true });
    } catch {
      return 'windows-1252';
    }
  }
  try {
    utf8.decode();
  } catch {
    return 'windows-1252';
  }
  return 'utf-8';
}

// Text in UTF-16 without a mark has a zero in every other byte, where it has letters of English.
function guessUtf16(piece: Buffer): string | null {
  const head = piece.subarray(0, 64);
  if (head.length < 4 || !head.includes(0)) return null;
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4 && even === 0) return 'utf-16le';
  if (even > head.length / 4 && odd === 0) return 'utf-16be';
  return null;
}
