import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Locator } from 'playwright-core';
import decodeQr from 'qr/decode.js';

/** Reads the QR codes on a page as a phone does: from pictures of them. */
export async function readQrCodes(codes: Locator): Promise<string[]> {
  const texts: string[] = [];
  for (const code of await codes.all()) {
    const picture = await loadImage(await code.screenshot());
    const { width, height } = picture;
    const context = createCanvas(width, height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    texts.push(decodeQr({ width, height, data }, { timeLimit: 5_000 }));
  }
  return texts;
}
