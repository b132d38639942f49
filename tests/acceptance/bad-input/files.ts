import { gifWithFrame, pngHeader, sampleFiles } from '../sample-files.ts';
import { type Fixture, invalidAt, type Row } from './row.ts';

const call = 'POST /v1/communities/:communityId/nftTypes';
const boundary = 'bad-input';
type Bytes = string | Uint8Array;
const join = (...parts: Bytes[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part))),
  );

const rawPart = (header: string, content: Bytes = '') =>
  join(`--${boundary}\r\n${header}\r\n\r\n`, content, '\r\n');
const part = (disposition: string, content: Bytes, type = '') =>
  rawPart(`Content-Disposition: form-data; ${disposition}${type && `\r\nContent-Type: ${type}`}`, content);
const formEnd = `--${boundary}--\r\n`;
const png = sampleFiles['image/png'];
const namePart = part('name="name"', 'Acceptance');
const filePart = (content: Bytes, fileName = 'design.png', type = 'image/png') =>
  part(`name="assetFile"; filename="${fileName}"`, content, type);

const upload = async (
  fixture: Fixture,
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
) =>
  fixture.call(`/v1/communities/${fixture.communityId}/nftTypes`, {
    method: 'POST',
    headers: {
      'X-API-Key': fixture.key,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body,
  });

/** A row that uploads a form of these parts, unchanged. */
const formRow = (
  title: string,
  response: string,
  why: string,
  parts: Bytes[],
  headers?: Record<string, string>,
): Row => ({
  call,
  case: title,
  response,
  why,
  send: (fixture) => upload(fixture, join(...parts), headers),
});

const unsupported = '415 UnsupportedMediaType';
const formatRule = 'JPEG, PNG, GIF, WebP, MP4 or WebM, recognized by content, not by name or type';
const pixelRule = 'At most 8,192 pixels per side and 40,000,000 in total, according to the header';
const headerRule = 'An image needs a complete header';
const maxBytes = 20 * 1024 * 1024;

/** A row that uploads a complete form with this file. */
const rowWithFile = (title: string, response: string, why: string, content: Bytes) =>
  formRow(title, response, why, [filePart(content), namePart, formEnd]);
/** A row that uploads a valid file, a valid name and one more part. */
const rowWithPart = (title: string, response: string, why: string, added: Bytes) =>
  formRow(title, response, why, [filePart(png), namePart, added, formEnd]);

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const html = '<!doctype html><script>alert(1)</script>';
const GIF_HEADER_BYTES = 13;
const GIF_TRAILER_BYTES = 1;
/**
 * A GIF with two frames. Between them is a block of the unknown type `x`. A decoder that skips this block
 * would show the second frame, which is too large.
 */
const gifWithUnknownBlock = join(
  gifWithFrame(1, 1).subarray(0, -GIF_TRAILER_BYTES),
  'x',
  gifWithFrame(9_000, 1).subarray(GIF_HEADER_BYTES),
);
const otherFormats: [string, Bytes][] = [
  ['an SVG', svg],
  ['an SVG after an XML declaration', '<?xml version="1.0"?><svg/>'],
  ['HTML', html],
  ['HTML after a byte order mark', `\ufeff${html}`],
  ['HTML before an image', join('<html>', png)],
  ['a byte order mark before an image', join('\ufeff', png)],
  ['a line break before an image', join('\n', png)],
  ['a PDF', '%PDF-1.7\n'],
  ['a ZIP', 'PK\u0003\u0004'],
  ['a BMP', 'BM\u0000\u0000\u0000\u0000'],
  ['a QuickTime video', latin1('\0\0\0\x14ftypqt  \0\0\0\0qt  ')],
  ['a HEIC image', latin1('\0\0\0\x14ftypheic\0\0\0\0mif1')],
  ['an AVIF image', latin1('\0\0\0\x14ftypavif\0\0\0\0mif1')],
  ['an M4A sound', latin1('\0\0\0\x14ftypM4A \0\0\0\0isom')],
  ['a Matroska video', latin1('\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska')],
  ['a WAV sound', latin1('RIFF\x24\0\0\0WAVEfmt ')],
  ['text', 'hello'],
  ['the text `GIF`', 'GIF'],
];

const formEndRule = 'A form must end with its last boundary; an incomplete one is not stored';
const forms: Row[] = [
  formRow('cut before the last boundary', invalidAt('(body)'), formEndRule, [filePart(png), namePart]),
  formRow('cut in the file', invalidAt('(body)'), formEndRule, [namePart, filePart(png).subarray(0, -20)]),
  formRow("cut in a part's header", invalidAt('(body)'), formEndRule, [
    `--${boundary}\r\nContent-Disposition: form-da`,
  ]),
  formRow('text instead of a form', invalidAt('(body)'), formEndRule, ['not a form']),
  formRow('an empty body', invalidAt('/assetFile', '/name'), 'All errors are listed together', []),
  formRow('no parts', invalidAt('/assetFile', '/name'), 'All errors are listed together', [formEnd]),
  formRow('a part without a name', invalidAt('/assetFile', '/name'), 'Parts without a name are ignored', [
    rawPart('Content-Disposition: form-data'),
    formEnd,
  ]),
  formRow('a part without headers', invalidAt('/assetFile', '/name'), 'Parts without a name are ignored', [
    rawPart(''),
    formEnd,
  ]),
  formRow(
    'a part named `__proto__`',
    invalidAt('(body)'),
    'Names that JavaScript objects inherit are rejected',
    [part('name="__proto__"', ''), formEnd],
  ),
  formRow(
    'a part with a header of 100,000 characters',
    invalidAt('/assetFile', '/name'),
    'A part with a very long header is ignored',
    [part(`name="${'n'.repeat(100_000)}"`, ''), formEnd],
  ),
  formRow('21 parts', invalidAt('(body)'), 'At most 20 parts', [
    ...Array.from({ length: 19 }, () => part('name="x"', '')),
    filePart(png),
    namePart,
    formEnd,
  ]),
  formRow('30 parts', invalidAt('(body)'), 'At most 20 parts', [
    ...Array.from({ length: 30 }, (_, index) => part(`name="part${index}"`, 'x')),
    formEnd,
  ]),
  formRow(
    'a boundary other than the one in the header',
    invalidAt('(body)'),
    formEndRule,
    [filePart(png), namePart, formEnd],
    {
      'Content-Type': 'multipart/form-data; boundary=other',
    },
  ),
  formRow(
    'no boundary in the header',
    invalidAt('(body)'),
    'The parts cannot be separated',
    [filePart(png), namePart, formEnd],
    {
      'Content-Type': 'multipart/form-data',
    },
  ),
  ...(
    [
      ['JSON', '{"name":"Acceptance"}', 'application/json'],
      ['the file without a form', png, 'image/png'],
      ['a URL-encoded form', 'name=Acceptance', 'application/x-www-form-urlencoded'],
      ['a form as `text/plain`', formEnd, 'text/plain'],
    ] as [string, Bytes, string][]
  ).map(([title, body, type]) =>
    formRow(title, unsupported, 'An upload is a multipart form', [body], { 'Content-Type': type }),
  ),
  formRow(
    '`Content-Encoding: gzip`',
    unsupported,
    'Compressed bodies are rejected',
    [filePart(png), namePart, formEnd],
    {
      'Content-Encoding': 'gzip',
    },
  ),
];

export const fileRows: Row[] = [
  ...otherFormats.map(([title, content]) =>
    rowWithFile(`${title}, named \`.png\``, unsupported, formatRule, content),
  ),
  formRow('an SVG, as `image/svg+xml`', unsupported, 'An SVG can contain scripts', [
    filePart(svg, 'design.svg', 'image/svg+xml'),
    namePart,
    formEnd,
  ]),
  rowWithFile('the first eight bytes of a PNG', unsupported, headerRule, png.subarray(0, 8)),
  rowWithFile('a PNG cut in its header', unsupported, headerRule, png.subarray(0, 20)),
  rowWithFile('a JPEG cut in its header', unsupported, headerRule, latin1('\xff\xd8\xff\xe0\0\x10JFIF')),
  rowWithFile(
    'a PNG header of 50,000 × 50,000',
    invalidAt('/assetFile'),
    pixelRule,
    pngHeader(50_000, 50_000),
  ),
  rowWithFile('a PNG header of 8,193 × 1', invalidAt('/assetFile'), pixelRule, pngHeader(8_193, 1)),
  rowWithFile('a PNG header of 8,000 × 8,000', invalidAt('/assetFile'), pixelRule, pngHeader(8_000, 8_000)),
  ...(
    [
      [8_193, 1],
      [1, 8_193],
      [8_000, 8_000],
      [65_535, 65_535],
    ] as const
  ).map(([width, height]) =>
    rowWithFile(
      `a GIF with a screen of 1 × 1 and a frame of ${width.toLocaleString('en')} × ${height.toLocaleString('en')}`,
      invalidAt('/assetFile'),
      'The limits apply to frames too, because decoders allocate memory for them',
      gifWithFrame(width, height),
    ),
  ),
  rowWithFile(
    'a GIF with a block of an unknown type between two frames',
    unsupported,
    'The frames after an unknown block cannot be checked',
    gifWithUnknownBlock,
  ),
  rowWithFile(
    'a PNG header of 4,294,967,295 × 1',
    invalidAt('/assetFile'),
    pixelRule,
    pngHeader(4_294_967_295, 1),
  ),
  rowWithFile('a PNG header of 0 × 0', unsupported, 'An image has at least one pixel', pngHeader(0, 0)),
  rowWithFile('a PNG header of 0 × 10', unsupported, 'An image has at least one pixel', pngHeader(0, 10)),
  rowWithFile('one byte over 20 MiB', '413 TooLarge', 'At most 20 MiB', pngHeader(10, 10, maxBytes + 1)),
  rowWithFile('25 MiB', '413 TooLarge', 'At most 20 MiB', pngHeader(10, 10, 25 * 1024 * 1024)),
  {
    call,
    case: 'one byte over 20 MiB, chunked, without `Content-Length`',
    response: '413 TooLarge',
    why: 'Bytes are counted as they arrive',
    send: (fixture) =>
      upload(fixture, new Blob([filePart(pngHeader(10, 10, maxBytes + 1)), namePart, formEnd]).stream()),
  },
  rowWithFile('an empty file', invalidAt('/assetFile'), 'At least one byte', ''),
  formRow('no file', invalidAt('/assetFile'), 'Required', [namePart, formEnd]),
  formRow('no name', invalidAt('/name'), 'Required', [filePart(png), formEnd]),
  formRow('neither file nor name', invalidAt('/assetFile', '/name'), 'All errors are listed together', [
    part('name="x"', ''),
    formEnd,
  ]),
  formRow(
    'an empty file and an empty name',
    invalidAt('/assetFile', '/name'),
    'All errors are listed together',
    [filePart(''), part('name="name"', ''), formEnd],
  ),
  rowWithPart('two files', invalidAt('/assetFile'), 'A part may be sent only once', filePart(png)),
  rowWithPart('two names', invalidAt('/name'), 'A part may be sent only once', namePart),
  ...(
    [
      ['an empty name', '', '1 to 200 characters'],
      ['a name of 201 emoji', '🎖'.repeat(201), '1 to 200 characters'],
      ['a name of 1 MiB', 'n'.repeat(1024 * 1024), '1 to 200 characters'],
      ['a name that is not UTF-8', new Uint8Array([0xff, 0x41]), 'Text must be UTF-8, and is not repaired'],
      ['a name with NUL', 'a\u0000b', 'PostgreSQL cannot store NUL'],
    ] as [string, Bytes, string][]
  ).map(([title, value, why]) =>
    formRow(title, invalidAt('/name'), why, [filePart(png), part('name="name"', value), formEnd]),
  ),
  rowWithPart(
    'an `alias` of 201 characters',
    invalidAt('/alias'),
    'At most 200 characters',
    part('name="alias"', 'a'.repeat(201)),
  ),
  ...['a/b', '../x', 'é', '', 'n'.repeat(65), 'a b', 'a\u0000', 'x\n'].map((id) =>
    rowWithPart(
      `\`nftTypeId: ${JSON.stringify(id).slice(0, 20)}\``,
      invalidAt('/nftTypeId'),
      '1 to 64 of A-Za-z0-9_-',
      part('name="nftTypeId"', id),
    ),
  ),
  rowWithPart(
    'the `nftTypeId` of a built-in type',
    '409 NftTypeExists',
    'Every community has the built-in types',
    part('name="nftTypeId"', 'defaultOrangeRed'),
  ),
  {
    call,
    case: 'an unknown community',
    response: '404 CommunityNotFound',
    why: 'The community must exist',
    send: (fixture) =>
      fixture.call('/v1/communities/nobody/nftTypes', {
        method: 'POST',
        headers: {
          'X-API-Key': fixture.key,
          'Content-Type': `multipart/form-data; boundary=${boundary}`,
        },
        body: join(formEnd),
      }),
  },
  ...forms,
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
      response: '201',
      why: 'File names are ignored',
      send: async (fixture) => {
        const response = await upload(fixture, join(filePart(png, fileName), namePart, formEnd));
        const { nftTypeId, assetUrl } = JSON.parse(response.text) as { nftTypeId: string; assetUrl: string };
        const asset = await fixture.call(assetUrl);
        if (!Buffer.from(asset.bytes).equals(png))
          throw new Error('the served file differs from the uploaded one');
        // Deletes the type, because a test checks that the rows have not changed the stored data.
        const path = `/v1/communities/${fixture.communityId}/nftTypes/${nftTypeId}`;
        await fixture.call(path, { method: 'DELETE', headers: { 'X-API-Key': fixture.key } });
        return response;
      },
    }),
  ),
];
