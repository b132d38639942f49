import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';
import { readCoverage } from './woff2-coverage.ts';

/** An npm package of WOFF2 files. Its `unicode.json` lists the subsets, each of which has a file. */
interface FontPackage {
  readonly name: string;
  /** The end of the names of its files. */
  readonly variant: string;
  /** Use only this subset, for the code points in `ranges` (default: all in `unicode.json`). */
  readonly subset?: string;
  readonly ranges?: string;
}

const WEIGHTS = 'wght-normal';
const REGULAR = '400-normal';

const SIMPLIFIED_CHINESE: FontPackage = { name: '@fontsource-variable/noto-sans-sc', variant: WEIGHTS };
const JAPANESE: FontPackage = { name: '@fontsource-variable/noto-sans-jp', variant: WEIGHTS };
const KOREAN: FontPackage = { name: '@fontsource-variable/noto-sans-kr', variant: WEIGHTS };

/** In order of preference. Emoji come before symbols, so that ❤ is drawn in colour. */
const ALPHABETS_AND_SYMBOLS: readonly FontPackage[] = [
  { name: '@fontsource-variable/noto-sans', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-arabic', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-hebrew', variant: WEIGHTS },
  { name: '@fontsource-variable/noto-sans-thai', variant: WEIGHTS },
  // The subset "emoji" has all emoji in one file. Its unicode.json lists only the numbered subsets, which are
  // parts of it.
  { name: '@fontsource/noto-color-emoji', variant: REGULAR, subset: 'emoji' },
  { name: '@fontsource/noto-sans-symbols-2', variant: REGULAR },
  { name: '@fontsource-variable/noto-sans-symbols', variant: WEIGHTS },
  // This package has one subset, which is named "latin". unicode.json does not list the mathematical
  // characters in it.
  {
    name: '@fontsource/noto-sans-math',
    variant: REGULAR,
    subset: 'latin',
    ranges: 'U+2000-2BFF,U+1D400-1D7FF,U+1EE00-1EEFF',
  },
];

/**
 * Returns the packages for a text, in order of preference. The text's language decides the shapes of Han
 * characters.
 */
function fontPackagesFor(text: string): readonly FontPackage[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) {
    return [...ALPHABETS_AND_SYMBOLS, JAPANESE, SIMPLIFIED_CHINESE, KOREAN];
  }
  if (/\p{Script=Hangul}/u.test(text)) {
    return [...ALPHABETS_AND_SYMBOLS, KOREAN, SIMPLIFIED_CHINESE, JAPANESE];
  }
  return [...ALPHABETS_AND_SYMBOLS, SIMPLIFIED_CHINESE, JAPANESE, KOREAN];
}

/**
 * One font file. Each is registered under its own family name, so that a list of families selects exact
 * files.
 */
interface Face {
  readonly family: string;
  readonly path: string;
  /** The code points in the file, once it has been read. */
  coverage?: ReadonlySet<number>;
}

type FacesByCodePoint = ReadonlyMap<number, readonly Face[]>;

const require = createRequire(import.meta.url);
const loadedPackages = new Map<string, FacesByCodePoint>();

function facesOf(font: FontPackage): FacesByCodePoint {
  const loaded = loadedPackages.get(font.name);
  if (loaded) return loaded;
  const faces = readPackage(font);
  loadedPackages.set(font.name, faces);
  return faces;
}

function readPackage({ name, variant, subset, ranges }: FontPackage): FacesByCodePoint {
  const index = require.resolve(`${name}/unicode.json`);
  const listed: Record<string, string> = JSON.parse(readFileSync(index, 'utf8'));
  const subsets = subset ? { [subset]: ranges ?? Object.values(listed).join(',') } : listed;
  const faces = new Map<number, Face[]>();
  const font = name.slice(name.indexOf('/') + 1);
  for (const [key, codePoints] of Object.entries(subsets)) {
    const family = `${font}-${key.replace(/[[\]]/g, '')}-${variant}`;
    const face: Face = { family, path: join(dirname(index), 'files', `${family}.woff2`) };
    for (const codePoint of codePointsOf(codePoints)) {
      const others = faces.get(codePoint);
      if (others) others.push(face);
      else faces.set(codePoint, [face]);
    }
  }
  return faces;
}

function* codePointsOf(ranges: string): Iterable<number> {
  for (const range of ranges.split(',')) {
    const [first = '', last = first] = range.slice('U+'.length).split('-');
    const end = Number.parseInt(last, 16);
    for (let codePoint = Number.parseInt(first, 16); codePoint <= end; codePoint++) yield codePoint;
  }
}

/**
 * Returns a font file's own code points (`unicode.json` lists more than the file has). Registers the font on
 * first use.
 */
function coverageOf(face: Face): ReadonlySet<number> {
  if (face.coverage) return face.coverage;
  const file = readFileSync(face.path);
  const coverage = readCoverage(file);
  if (!GlobalFonts.has(face.family)) GlobalFonts.register(file, face.family);
  face.coverage = coverage;
  return coverage;
}

/** The fonts chosen for one text. */
export interface FontChoice {
  /** Chooses the first font that has all the code points. Returns false if there is none. */
  choose(codePoints: readonly number[]): boolean;
  /** The chosen fonts in order of preference, as a CSS font-family list. */
  families(): string;
}

export function createFontChoice(text: string): FontChoice {
  const fonts = fontPackagesFor(text).map(facesOf);
  const ranks = new Map<string, number>();
  return {
    choose(codePoints) {
      const [first = 0] = codePoints;
      for (const [rank, faces] of fonts.entries()) {
        const face = faces
          .get(first)
          ?.find((candidate) => codePoints.every((each) => coverageOf(candidate).has(each)));
        if (!face) continue;
        ranks.set(face.family, rank);
        return true;
      }
      return false;
    },
    families: () =>
      [...ranks]
        .sort(([, one], [, other]) => one - other)
        .map(([family]) => `"${family}"`)
        .join(', '),
  };
}
