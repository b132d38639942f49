/** An npm package of WOFF2 files, one for each subset that its `unicode.json` lists, or one alone. */
export interface FontPackage {
  readonly name: string;
  readonly variant: string;
  /** The only subset to use, and, where `unicode.json` says less than the file holds, its code points. */
  readonly subset?: string;
  readonly ranges?: string;
}

const WEIGHTS = 'wght-normal';
const REGULAR = '400-normal';

const SIMPLIFIED_CHINESE: FontPackage = { name: '@fontsource-variable/noto-sans-sc', variant: WEIGHTS };
const JAPANESE: FontPackage = { name: '@fontsource-variable/noto-sans-jp', variant: WEIGHTS };
const KOREAN: FontPackage = { name: '@fontsource-variable/noto-sans-kr', variant: WEIGHTS };

/** In the order in which a glyph is looked for; emoji stand before symbols, so that ❤ is drawn in colour. */
const ALPHABETS_AND_SYMBOLS: readonly FontPackage[] = [
  { name: '@fontsource-variable/noto-sans', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-arabic', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-hebrew', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-thai', variant: WEIGHTS },
  { name: '@fontsource/noto-color-emoji', variant: REGULAR, subset: 'emoji' },
  { name: '@fontsource/noto-sans-symbols-2', variant: REGULAR },
  { name: '@fontsource-variable/noto-sans-symbols', variant: WEIGHTS },
  {
    name: '@fontsource/noto-sans-math',
    variant: REGULAR,
    subset: 'latin',
    ranges: 'U+2000-2BFF,U+1D400-1D7FF,U+1EE00-1EEFF',
  },
];

/** The packages to look in for a text: the shapes of Han characters follow the language that it shows. */
export function fontPackagesFor(text: string): readonly FontPackage[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) {
    return [...ALPHABETS_AND_SYMBOLS, JAPANESE, SIMPLIFIED_CHINESE, KOREAN];
  }
  if (/\p{Script=Hangul}/u.test(text)) {
    return [...ALPHABETS_AND_SYMBOLS, KOREAN, SIMPLIFIED_CHINESE, JAPANESE];
  }
  return [...ALPHABETS_AND_SYMBOLS, SIMPLIFIED_CHINESE, JAPANESE, KOREAN];
}
