import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';
import { type FontPackage, fontPackagesFor } from './font-packages.ts';
import { readCoverage } from './woff2-coverage.ts';

/** A font file whose family name is its own, so that a list of families says which files may draw a text. */
interface Face {
  readonly family: string;
  readonly path: string;
  coverage?: ReadonlySet<number>;
}

type FacesByCodePoint = ReadonlyMap<number, readonly Face[]>;

const require = createRequire(import.meta.url);
const packages = new Map<string, FacesByCodePoint>();

function* codePointsOf(ranges: string): Iterable<number> {
  for (const range of ranges.split(',')) {
    const [first = '', last = first] = range.slice('U+'.length).split('-');
    const end = Number.parseInt(last, 16);
    for (let codePoint = Number.parseInt(first, 16); codePoint <= end; codePoint++) yield codePoint;
  }
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

function facesOf(font: FontPackage): FacesByCodePoint {
  const known = packages.get(font.name);
  if (known) return known;
  const faces = readPackage(font);
  packages.set(font.name, faces);
  return faces;
}

/** The listed ranges say more than the files hold, so the file itself is asked when it is first needed. */
function coverageOf(face: Face): ReadonlySet<number> {
  if (face.coverage) return face.coverage;
  const file = readFileSync(face.path);
  const coverage = readCoverage(file);
  if (!GlobalFonts.has(face.family)) GlobalFonts.register(file, face.family);
  face.coverage = coverage;
  return coverage;
}

/** Looks fonts up for one text and remembers, in their order, the families that it needs. */
export class FontChoice {
  readonly #fonts: readonly FacesByCodePoint[];
  readonly #chosen = new Map<string, number>();

  constructor(text: string) {
    this.#fonts = fontPackagesFor(text).map(facesOf);
  }

  /** Whether one font has all these code points; that font is then among `families`. */
  mayDraw(codePoints: readonly number[]): boolean {
    const [first = 0] = codePoints;
    for (const [rank, faces] of this.#fonts.entries()) {
      const face = faces
        .get(first)
        ?.find((candidate) => codePoints.every((each) => coverageOf(candidate).has(each)));
      if (!face) continue;
      this.#chosen.set(face.family, rank);
      return true;
    }
    return false;
  }

  /** The families chosen so far, as a CSS font-family list. */
  get families(): string {
    return [...this.#chosen]
      .sort(([, one], [, other]) => one - other)
      .map(([family]) => `"${family}"`)
      .join(', ');
  }
}
