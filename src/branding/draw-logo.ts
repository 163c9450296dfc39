/**
 * A separate program that logo-image.ts starts. It reads a picture on standard input and writes a small square WebP on
 * standard output, or the problem on standard error. Exit code 2: the picture has a problem. Exit code 3: `sharp`, an
 * optional dependency, is not installed. Native code reads untrusted pictures here, so it runs in a process that can be
 * killed.
 */
import { writeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import type Sharp from 'sharp';

/** Pages show a logo at 64 CSS pixels at most. The finest screens have three device pixels for each. */
const SIDE = 192;
/** A page has 60 KB for everything and shows one logo. */
const MOST_SERVED_BYTES = 16 * 1024;
/** The picture of a camera has 24 to 48 million. */
const MOST_PIXELS = 50_000_000;
/**
 * The memory limit of this process. The most expensive plain pictures (16 bits per channel, interlaced) need 530 MB. A
 * picture within an SVG is decoded at full size: 48 KB can need 3.6 GB.
 */
const MOST_MEMORY_BYTES = 768 * 1024 * 1024;
const MEMORY_CHECK_MS = 20;
/** Tried in this order until the result is small enough. Drawings stay exact; photographs need not. */
const ENCODINGS = [
  { lossless: true },
  ...[90, 80, 65, 50, 30, 10].map((quality) => ({ quality, alphaQuality: Math.max(quality, 50) })),
];
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };

async function drawLogo(picture: Buffer, sharp: typeof Sharp): Promise<Buffer> {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadSvg'],
  });
  const open = () => sharp(picture, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
  const { format, width, height } = await open().metadata();
  const side = format === 'svg' ? SIDE : Math.min(SIDE, Math.max(width, height));
  const { data, info } = await open()
    .autoOrient()
    .resize(side, side, { fit: 'contain', background: CLEAR })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  for (const encoding of ENCODINGS) {
    const webp = await sharp(data, { raw })
      .webp({ effort: 6, ...encoding })
      .toBuffer();
    if (webp.length <= MOST_SERVED_BYTES) return webp;
  }
  throw new Error('No encoding is small enough');
}

/** Ends this process: nothing else stops a decoder at work. */
function endWhenTooLarge(): void {
  if (process.memoryUsage.rss() <= MOST_MEMORY_BYTES) return;
  writeSync(process.stderr.fd, 'The image is too large: it needs too much memory');
  process.kill(process.pid, 'SIGKILL');
}

setInterval(endWhenTooLarge, MEMORY_CHECK_MS).unref();
try {
  const { default: sharp } = await import('sharp').catch((reason) => {
    process.stderr.write(String(reason));
    process.exit(3);
  });
  process.stdout.write(await drawLogo(await buffer(process.stdin), sharp));
} catch (reason) {
  process.stderr.write(reason instanceof Error ? reason.message : String(reason));
  process.exitCode = 2;
}
