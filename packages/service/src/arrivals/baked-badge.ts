import { findText, isPng } from './png-texts.ts';
import { isObject, type JsonObject, parseJson } from './read-documents.ts';

const KEYWORDS = ['openbadgecredential', 'openbadges', 'openbadge'];
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** What a baked picture has: a value, the URL of one, or nothing. */
export type BakedBadge = { value: unknown } | { url: string } | null;

/** Reads what Open Badges 2.0 and 3.0 bake into a PNG or an SVG. */
export function readBakedBadge(picture: Buffer): BakedBadge {
  const text = isPng(picture) ? findText(picture, KEYWORDS) : findSvgText(picture.toString('utf8'));
  return text === null ? null : readBadgeText(text);
}

/** Reads the text of a badge: JSON, a signed credential, or a URL of one of them. */
export function readBadgeText(given: string): BakedBadge {
  const text = given.trim();
  if (isUrl(text)) return { url: text };
  const value = readJws(text) ?? parseJson(text);
  // The first specification of baking, and Moodle after it, named a URL in an object.
  const url = isObject(value)
    ? value.assertionUrl
    : /'assertionUrl':\s*'(?<url>[^']+)'/.exec(text)?.groups?.url;
  if (typeof url === 'string' && isUrl(url)) return { url };
  return value === undefined ? null : { value };
}

/** Reads the payload of a signed credential or assertion. Its signature is not verified. */
export function readJws(text: string): JsonObject | undefined {
  if (!COMPACT_JWS.test(text)) return undefined;
  const payload = parseJson(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (!isObject(payload)) return undefined;
  if (!isObject(payload.vc)) return payload;
  // A JWT of the first data model has these members beside the credential.
  const toIso = (seconds: unknown) =>
    typeof seconds === 'number' && Math.abs(seconds) < 1e11
      ? new Date(seconds * 1_000).toISOString()
      : undefined;
  return {
    id: payload.jti,
    issuer: payload.iss,
    validFrom: toIso(payload.nbf),
    validUntil: toIso(payload.exp),
    ...payload.vc,
  };
}

// Without `<` in them, so that a file of half tags is searched only once.
const SVG_TAG = /<(?<name>[\w-]+:(?:assertion|credential))(?<attributes>\s[^<>]*|)>/;

function findSvgText(svg: string): string | null {
  if (!/<svg[\s>]/i.test(svg)) return null;
  const tag = SVG_TAG.exec(svg);
  if (tag === null) return null;
  const { name = '', attributes = '' } = tag.groups ?? {};
  const start = tag.index + tag[0].length;
  const end = attributes.endsWith('/') ? start : svg.indexOf(`</${name}`, start);
  const content = svg.slice(start, Math.max(end, start));
  const data = /<!\[CDATA\[(?<data>.*)\]\]>/s.exec(content)?.groups?.data ?? content;
  if (data.trim() !== '') return data;
  const verify = /\bverify\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')/.exec(attributes)?.groups;
  return (verify?.double ?? verify?.single)?.replaceAll('&amp;', '&') ?? null;
}

function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text);
}
