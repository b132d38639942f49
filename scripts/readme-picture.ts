import { writeFile } from 'node:fs/promises';
import { createImageRenderer } from '@badge/badge-images';
import { createCanvas, loadImage } from '@napi-rs/canvas';

// Draws the strip of badges in README.md: npx node scripts/readme-picture.ts docs/badges.png

const BADGES = [
  { designId: 'defaultOrangeRed', headline: 'Speaker 2026' },
  { designId: 'defaultBlueGreen', headline: 'First 100 members' },
  { designId: 'defaultGoldBlack', headline: 'Core contributor' },
  { designId: 'defaultCyanViolet', headline: '優勝 2026 🏆' },
  { designId: 'defaultSilverNavy', headline: 'Audited the treasury' },
];
const SIDE = 240;
const GAP = 16;

const [path] = process.argv.slice(2);
if (!path) throw new Error('usage: readme-picture.ts PATH');

const renderer = createImageRenderer();
const strip = createCanvas(BADGES.length * (SIDE + GAP) - GAP, SIDE);
const context = strip.getContext('2d');
for (const [i, badge] of BADGES.entries()) {
  const image = await loadImage(await renderer.render({ kind: 'token', ...badge }));
  context.drawImage(image, i * (SIDE + GAP), 0, SIDE, SIDE);
}
await writeFile(path, await strip.encode('png'));
await renderer.close();
