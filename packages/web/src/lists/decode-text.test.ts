import { expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';

const textOf = (...bytes: number[]) => decodeText(new Uint8Array(bytes)).text;
/** The bytes of a text in an encoding of one byte for each letter. */
function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const letters = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(new Uint8Array([byte])), byte] as const),
  );
  return new Uint8Array(Array.from(text, (letter) => letters.get(letter) ?? 63));
}

test('decodes UTF-8, without its byte order mark', () => {
  expect(decodeText(new TextEncoder().encode('Zoë, 王'))).toEqual({
    text: 'Zoë, 王',
    encoding: 'utf-8',
    isGuessed: false,
  });
  expect(textOf(0xef, 0xbb, 0xbf, 0x5a, 0x6f, 0xc3, 0xab)).toBe('Zoë');
});

test('decodes UTF-16 with a byte order mark, and a file of one byte', () => {
  expect(textOf(0xff, 0xfe, 0x5a, 0x00, 0x6f, 0x00, 0xeb, 0x00)).toBe('Zoë');
  expect(textOf(0xfe, 0xff, 0x00, 0x5a, 0x00, 0x6f, 0x00, 0xeb)).toBe('Zoë');
  expect(textOf(0xff)).toBe('ÿ');
  expect(textOf()).toBe('');
});

test.for([
  ['windows-1252', 'Zoë Šaša €; Jörg Müller; François Lefèvre; Peña; D’Arcy; Øystein Ångström'],
  ['windows-1256', 'أحمد محمود,ahmad@example.org\nليلى حسن,layla@example.org\nعمر الفاروق,omar@example.org'],
  ['windows-1251', 'Иван Петров,ivan@example.org\nЁлка Сидорова,elka@example.org'],
  ['windows-1251', 'ИВАН ПЕТРОВ,ivan@example.org'],
  ['macintosh', 'José Peña,jose@example.org\nRenée Lefèvre,renee@example.org\nJürgen Groß,j@example.org'],
  ['macintosh', 'Nombre,Correo\nMaría Núñez,maria@example.org'],
] as const)('guesses %s: %s', ([encoding, text]) => {
  expect(decodeText(encode(text, encoding))).toEqual({ text, encoding, isGuessed: true });
});
