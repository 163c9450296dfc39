import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';

import sharp from 'sharp';

import { ApiError } from '../http/refusal.ts';
import { logoImage, MOST_LOGO_BYTES } from './logo-image.ts';

const RED = { r: 255, g: 0, b: 0, alpha: 1 };
const block = (width: number, height: number, background = RED) =>
  sharp({ create: { width, height, channels: 4, background } });
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: RED,
      noise: { type: 'gaussian', mean: 128, sigma: 70 },
    },
  });
const svg = (inside: string, attributes = 'viewBox="0 0 10 10"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

/** Returns red, green, blue and alpha of one pixel. `across` and `down` are from 0 to 1. */
async function pixel(webp: Uint8Array, across: number, down: number): Promise<number[]> {
  const { data, info } = await sharp(webp).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const [x, y] = [Math.floor(across * info.width), Math.floor(down * info.height)];
  const start = (y * info.width + x) * 4;
  return [...data.subarray(start, start + 4)];
}

const describeImage = async (webp: Uint8Array) => {
  const { width, height, format } = await sharp(webp).metadata();
  return `${width}×${height} ${format}`;
};

const catchRefusal = async (bytes: Uint8Array): Promise<string> => {
  const reason = await logoImage(bytes, 'logo').then(
    () => 'it was drawn',
    (thrown: unknown) => thrown,
  );
  if (reason instanceof ApiError && reason.status === 400) return reason.message;
  throw new Error('Not a refusal', { cause: reason });
};

/** Builds a PNG of few bytes that claims this size. Its pixels are zeros and, unless `depth` is 1, end early. */
function claimedPng(width: number, height: number, depth: 1 | 8 = 8): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(depth === 1 ? [1, 0] : [8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(depth === 1 ? (width / 8 + 1) * height : 5_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a logo', () => {
  let jpeg: Buffer;
  let png: Buffer;
  let webp: Buffer;
  before(async () => {
    jpeg = await noise(300, 200).jpeg().toBuffer();
    png = await block(400, 100).png().toBuffer();
    webp = await block(50, 50).webp().toBuffer();
  });

  it('fits into a transparent square of at most 192 pixels and is not enlarged', async () => {
    const [wide, small] = await Promise.all([logoImage(png, 'logo'), logoImage(webp, 'logo')]);

    assert.equal(await describeImage(wide.webp), '192×192 webp');
    assert.deepEqual(await pixel(wide.webp, 0.5, 0.5), [255, 0, 0, 255]);
    assert.equal((await pixel(wide.webp, 0.5, 0.05))[3], 0);
    assert.equal(await describeImage(small.webp), '50×50 webp');
  });

  it('keeps its transparency', async () => {
    const half = await block(64, 64, { ...RED, alpha: 0.5 })
      .png()
      .toBuffer();

    const { webp: drawn } = await logoImage(half, 'logo');

    assert.deepEqual(await pixel(drawn, 0.5, 0.5), [255, 0, 0, 128]);
  });

  it('has at most 16 KB, whatever the picture', async () => {
    const { webp: drawn } = await logoImage(await noise(900, 900).png().toBuffer(), 'logo');

    assert.ok(drawn.length <= 16 * 1024, `${drawn.length} bytes`);
    assert.equal(await describeImage(drawn), '192×192 webp');
  });

  it('is upright and contains no camera metadata', async () => {
    const top = block(100, 50).composite([
      { input: await block(100, 10, { r: 0, g: 0, b: 255, alpha: 1 }).png().toBuffer(), gravity: 'north' },
    ]);
    const turned = await top
      .flatten()
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .withExif({ IFD0: { Copyright: 'canary-of-the-camera', Orientation: '6' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();

    const { webp: drawn } = await logoImage(turned, 'logo');

    // Orientation 6 turns the picture clockwise: the top becomes the right side.
    const [red = 255, , blue = 0] = await pixel(drawn, 0.72, 0.5);
    assert.ok(blue > 200 && red < 60, `${red}, ${blue}`);
    assert.equal((await sharp(drawn).metadata()).exif, undefined);
    assert.doesNotMatch(Buffer.from(drawn).toString('latin1'), /canary/);
  });

  it('shows the first frame of an animation', async () => {
    const frames = [RED, { r: 0, g: 0, b: 255, alpha: 1 }].map((color) =>
      block(40, 40, color).png().toBuffer(),
    );
    const animated = await sharp(await Promise.all(frames), { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer();

    const { webp: drawn } = await logoImage(animated, 'logo');

    assert.equal((await sharp(drawn).metadata()).pages, undefined);
    assert.deepEqual(await pixel(drawn, 0.5, 0.5), [255, 0, 0, 255]);
  });

  it('is drawn from an SVG at full size, without its scripts', async () => {
    const { webp: drawn } = await logoImage(
      svg('<script>alert("canary")</script><rect width="10" height="10" fill="red"/>'),
      'logo',
    );

    assert.equal(await describeImage(drawn), '192×192 webp');
    assert.deepEqual(await pixel(drawn, 0.5, 0.5), [255, 0, 0, 255]);
    assert.doesNotMatch(Buffer.from(drawn).toString('latin1'), /canary|script/);
  });

  const refused: [what: string, bytes: () => Uint8Array | Promise<Uint8Array>, sentence: RegExp][] = [
    ['nothing', () => Buffer.alloc(0), /must be a PNG, JPEG, WebP or SVG/],
    ['text', () => Buffer.from('hello'), /must be a PNG, JPEG, WebP or SVG/],
    ['a GIF', () => block(9, 9).gif().toBuffer(), /must be a PNG, JPEG, WebP or SVG/],
    ['a TIFF', () => block(9, 9).tiff().toBuffer(), /must be a PNG, JPEG, WebP or SVG/],
    ['a program', () => Buffer.from('\x7fELF', 'latin1'), /must be a PNG, JPEG, WebP or SVG/],
    ['a picture of more than 5 MB', () => Buffer.alloc(MOST_LOGO_BYTES + 1), /must not be larger than 5 MB/],
    ['30,000 by 30,000 pixels', () => claimedPng(30_000, 30_000), /has more pixels/],
    ['an SVG of as many', () => svg('', 'width="30000" height="30000"'), /has more pixels/],
    [
      'an SVG that carries 20,000 by 20,000',
      () => svg(carried(claimedPng(20_000, 20_000, 1))),
      // On a busy machine the time limit is reached before the memory limit.
      /has more pixels|within 10 seconds/,
    ],
    ['a PNG of no width', () => claimedPng(0, 5), /cannot be read as PNG/],
    [
      'what only begins like a PNG',
      () => Buffer.from('\x89PNG\r\n\x1a\n<svg/>', 'latin1'),
      /cannot be read as PNG/,
    ],
    ['what only begins like a WebP', () => Buffer.from('RIFF\x04\0\0\0WEBPVP8 '), /cannot be read as WebP/],
    ['an SVG that refers to a file', () => svg('<image href="file:///etc/passwd"/>'), /self-contained/],
    ['an SVG that takes for ever', () => svg(forEver()), /within 10 seconds/],
  ];
  for (const [what, bytes, sentence] of refused) {
    it(`is refused for ${what}`, async () => assert.match(await catchRefusal(await bytes()), sentence));
  }

  it('is refused for a picture that is cut off anywhere', async () => {
    const messages = await Promise.all(
      [jpeg, png, webp].flatMap((picture) =>
        [0.1, 0.5, 0.9].map((part) => catchRefusal(picture.subarray(0, Math.ceil(picture.length * part)))),
      ),
    );

    for (const sentence of messages) assert.match(sentence, /^The logo (cannot be read as|must be a PNG)/);
  });

  it('contains nothing that follows the data of the picture', async () => {
    const tail = Buffer.from('<script>canary</script>PK\x03\x04');

    const { webp: drawn } = await logoImage(Buffer.concat([png, tail]), 'logo');

    assert.doesNotMatch(Buffer.from(drawn).toString('latin1'), /canary|PK/);
  });

  it('is drawn or refused with a sentence, whatever bytes are changed', async () => {
    const changed = [jpeg, png, webp, svg('<circle r="4"/>')].flatMap((picture, i) =>
      [3, 7].map((step) =>
        picture.map((byte, at) => (at > 20 + i && at % (31 * step) === step ? byte ^ 0x55 : byte)),
      ),
    );

    const outcomes = await Promise.all(
      changed.map((bytes) =>
        logoImage(bytes, 'logo').then(
          ({ webp: drawn }) => describeImage(drawn),
          (reason) => (reason instanceof ApiError ? reason.message : String(reason)),
        ),
      ),
    );

    for (const outcome of outcomes) assert.match(outcome, /^(\d+×\d+ webp|The logo .+)$/);
  });
});

const carried = (png: Buffer): string =>
  `<image width="10" height="10" href="data:image/png;base64,${png.toString('base64')}"/>`;

/** Returns 3,000 shapes with two expensive filters. */
function forEver(): string {
  const noisy = '<feTurbulence baseFrequency="0.9" numOctaves="200"/>'.repeat(2);
  return `<filter id="f">${noisy}</filter>${'<rect width="10" height="10" filter="url(#f)"/>'.repeat(3000)}`;
}
