import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { escapeHtml } from '../../mail/plain-text.ts';
import type { Reader } from '../reader.ts';
import { readCurrentToken } from '../tokens/read-token.ts';
import type { Picture } from './read-picture.ts';
import { toMeasuredText, toShieldText } from './rules.ts';

const COLOR = '#b3301a';

const numbers = new Intl.NumberFormat('en');

/**
 * Reads the shield of a token: a small flat SVG for a README, with the headline and how often the token was
 * claimed. That of a replaced token is the one of its replacement.
 */
export async function readTokenShield(context: Context, reader: Reader, tokenId: string): Promise<Picture> {
  const { headline, claimedCount } = await readCurrentToken(context, reader, tokenId);
  const bytes = Buffer.from(await drawShield(headline, `${numbers.format(claimedCount)} claimed`));
  return {
    hash: createHash('sha256').update(bytes).digest('base64url'),
    isImmutable: false,
    maxHeldBytes: bytes.length,
    open: async () => ({ contentType: 'image/svg+xml; charset=utf-8', bytes }),
  };
}

// As the library does, so that its texts are found.
function escapeXml(text: string): string {
  return escapeHtml(text).replaceAll('&#39;', '&apos;');
}

async function drawShield(headline: string, message: string): Promise<string> {
  // Loaded with the first shield, because its tables of letters take 15 MB of memory.
  const { makeBadge } = await import('badge-maker');
  const label = toShieldText(headline);
  const measured = toMeasuredText(label);
  const svg = makeBadge({ label: measured, message, color: COLOR });
  if (measured === label) return svg;
  // Texts are stretched to the measured width, which would pull joined letters apart. This text keeps its own
  // width, in the middle of its part. In texts, `"` is escaped, so only attributes match.
  const [from, to] = [escapeXml(measured), escapeXml(label)];
  return ['>TEXT<', '<title>TEXT: ', ' aria-label="TEXT: ']
    .map((place) => place.split('TEXT'))
    .reduce(
      (text, [start = '', end = '']) => text.replaceAll(start + from + end, () => start + to + end),
      svg,
    )
    .replaceAll(/ textLength="\d+"/g, '');
}
