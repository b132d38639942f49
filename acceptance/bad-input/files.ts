import { pngHeader, sampleFiles } from '../sample-files.ts';
import type { Row, Scene } from './row.ts';

const call = 'POST /v1/communities/:communityId/nftTypes';
const boundary = 'bad-input';
type Bytes = string | Uint8Array;
const join = (...parts: Bytes[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part))),
  );

const part = (disposition: string, content: Bytes, type = '') =>
  join(
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n`,
    content,
    '\r\n',
  );
const end = `--${boundary}--\r\n`;
const png = sampleFiles['image/png'] ?? new Uint8Array();
const name = part('name="name"', 'Acceptance');
const file = (content: Bytes, fileName = 'design.png', type = 'image/png') =>
  part(`name="assetFile"; filename="${fileName}"`, content, type);

const upload = async (
  scene: Scene,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
) =>
  scene.call(`/v1/communities/${scene.communityId}/nftTypes`, {
    method: 'POST',
    headers: {
      'X-API-Key': scene.key,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body,
  });

const row = (
  title: string,
  answer: string,
  why: string,
  parts: Bytes[],
  headers?: Record<string, string>,
): Row => ({
  call,
  case: title,
  answer,
  why,
  send: (scene) => upload(scene, join(...parts), headers),
});

const notMedia = '415 UnsupportedMediaType';
const byContent = 'The first bytes tell what a file is; its name and its type do not count';
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const html = '<!doctype html><script>alert(1)</script>';
const at = (...places: string[]) => `400 InvalidRequest ${places.join(' ')}`;
const whole = 'A form ends with its last boundary; what was cut off is not stored';
const bounded =
  'A picture has at most 8,192 pixels a side and 40,000,000 in all, by its header: unpacked it fills the memory';

export const files: Row[] = [
  row('an SVG named `.png`', notMedia, byContent, [file(svg), name, end]),
  row('an SVG as `image/svg+xml`', notMedia, 'An SVG may hold scripts', [
    file(svg, 'design.svg', 'image/svg+xml'),
    name,
    end,
  ]),
  row('HTML named `.png`', notMedia, byContent, [file(html), name, end]),
  row('HTML behind a byte order mark', notMedia, byContent, [file(`\ufeff${html}`), name, end]),
  row('a PDF named `.png`', notMedia, byContent, [file('%PDF-1.7\n'), name, end]),
  row('a ZIP named `.png`', notMedia, byContent, [file('PK\u0003\u0004'), name, end]),
  row('a BMP', notMedia, 'JPEG, PNG, GIF, WebP, MP4 or WebM', [
    file('BM\u0000\u0000\u0000\u0000'),
    name,
    end,
  ]),
  row('a text', notMedia, byContent, [file('hello'), name, end]),
  row('the first eight bytes of a PNG', notMedia, 'A picture has a whole header', [
    file(png.subarray(0, 8)),
    name,
    end,
  ]),
  row('a PNG cut in its header', notMedia, 'A picture has a whole header', [
    file(png.subarray(0, 20)),
    name,
    end,
  ]),
  row('a PNG header of 50,000 × 50,000', at('/assetFile'), bounded, [
    file(pngHeader(50_000, 50_000)),
    name,
    end,
  ]),
  row('a PNG header of 8,193 × 1', at('/assetFile'), bounded, [file(pngHeader(8_193, 1)), name, end]),
  row('a PNG header of 8,000 × 8,000', at('/assetFile'), bounded, [file(pngHeader(8_000, 8_000)), name, end]),
  row('a PNG header of 0 × 0', notMedia, 'There is no such picture', [file(pngHeader(0, 0)), name, end]),
  row('a PNG header of 4,294,967,295 × 1', at('/assetFile'), bounded, [
    file(pngHeader(4_294_967_295, 1)),
    name,
    end,
  ]),
  row('21 MiB', '413 TooLarge', 'A file has at most 20 MiB', [
    file(pngHeader(10, 10, 21 * 1024 * 1024)),
    name,
    end,
  ]),
  row('a byte more than 20 MiB', '413 TooLarge', 'A file has at most 20 MiB', [
    file(pngHeader(10, 10, 20 * 1024 * 1024 + 1)),
    name,
    end,
  ]),
  {
    call,
    case: 'a byte more than 20 MiB, in chunks and without a length',
    answer: '413 TooLarge',
    why: 'The bytes are counted as they come',
    send: (scene) =>
      upload(scene, new Blob([file(pngHeader(10, 10, 20 * 1024 * 1024 + 1)), name, end]).stream()),
  },
  row('an empty file', at('/assetFile'), 'A file has at least one byte', [file(''), name, end]),
  row('no file', at('/assetFile'), 'It is required', [name, end]),
  row('no name', at('/name'), 'It is required', [file(png), end]),
  row('neither', at('/assetFile', '/name'), 'All faults are told at once', [part('name="x"', ''), end]),
  row('two files', at('/assetFile'), 'Which of them is meant is not guessed', [
    file(png),
    file(png),
    name,
    end,
  ]),
  row('two names', at('/name'), 'Which of them is meant is not guessed', [file(png), name, name, end]),
  row('an empty name', at('/name'), '1 to 200 characters', [file(png), part('name="name"', ''), end]),
  row('a name of 201 emoji', at('/name'), '1 to 200 characters', [
    file(png),
    part('name="name"', '🎖'.repeat(201)),
    end,
  ]),
  row('a name that is no UTF-8', at('/name'), 'Text is not repaired', [
    file(png),
    part('name="name"', new Uint8Array([0xff])),
    end,
  ]),
  row('a name with NUL', at('/name'), 'PostgreSQL holds no NUL', [
    file(png),
    part('name="name"', 'a\u0000b'),
    end,
  ]),
  row('an `alias` of 201 characters', at('/alias'), 'Up to 200 characters', [
    file(png),
    name,
    part('name="alias"', 'a'.repeat(201)),
    end,
  ]),
  ...['a/b', '../x', 'é', '', 'n'.repeat(65), 'a b', 'a\u0000'].map((id) =>
    row(`\`nftTypeId: ${JSON.stringify(id).slice(0, 20)}\``, at('/nftTypeId'), '1 to 64 of A-Za-z0-9_-', [
      file(png),
      name,
      part('name="nftTypeId"', id),
      end,
    ]),
  ),
  row('the `nftTypeId` of a built-in type', '409 NftTypeExists', 'It is taken in every community', [
    file(png),
    name,
    part('name="nftTypeId"', 'defaultOrangeRed'),
    end,
  ]),
  row('21 parts', at('(body)'), 'At most 20', [
    ...Array.from({ length: 19 }, () => part('name="x"', '')),
    file(png),
    name,
    end,
  ]),
  row('cut before the last boundary', at('(body)'), whole, [file(png), name]),
  row('cut within the file', at('(body)'), whole, [name, file(png).subarray(0, -20)]),
  row('a form without parts', at('/assetFile', '/name'), 'All faults are told at once', []),
  row('another boundary than the header says', at('(body)'), whole, [file(png), name, end], {
    'Content-Type': 'multipart/form-data; boundary=other',
  }),
  row('no boundary', at('(body)'), 'Without it the parts cannot be told', [file(png), name, end], {
    'Content-Type': 'multipart/form-data',
  }),
  row('JSON', notMedia, 'An upload is a form', ['{"name":"Acceptance"}'], {
    'Content-Type': 'application/json',
  }),
  row('the file alone', notMedia, 'An upload is a form', [png], { 'Content-Type': 'image/png' }),
  row('a URL-encoded form', notMedia, 'An upload is a form', ['name=Acceptance'], {
    'Content-Type': 'application/x-www-form-urlencoded',
  }),
  row('`Content-Encoding: gzip`', notMedia, 'A body is sent as it is', [file(png), name, end], {
    'Content-Encoding': 'gzip',
  }),
  ...[
    '../../etc/passwd',
    '..\\\\..\\\\windows',
    'design.png\u0000.html',
    'design.php',
    '',
    '🎖.png',
    'a'.repeat(2_000),
  ].map(
    (fileName): Row => ({
      call,
      case: `the file name \`${JSON.stringify(fileName).slice(0, 30)}\``,
      answer: '201',
      why: 'The name is not looked at, and nothing is stored under it',
      send: async (scene) => {
        const answer = await upload(scene, join(file(png, fileName), name, end));
        const { nftTypeId, assetUrl } = JSON.parse(answer.text) as { nftTypeId: string; assetUrl: string };
        const asset = await scene.call(assetUrl);
        if (!Buffer.from(asset.bytes).equals(png)) throw new Error('the file reads back changed');
        const path = `/v1/communities/${scene.communityId}/nftTypes/${nftTypeId}`;
        await scene.call(path, { method: 'DELETE', headers: { 'X-API-Key': scene.key } });
        return answer;
      },
    }),
  ),
];
