/** Response bodies, decompressed up to a limit, and only as fast as there is memory for them. */
import { Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import type { RoomShare } from './answer-room.ts';
import { EgressError } from './egress-error.ts';
import { type ReceivedBytes, receivedBytes } from './received-bytes.ts';

export type Unpacking = {
  /** The value of Content-Encoding. */
  readonly encoding: string;
  /** Limits the decompressed bytes. */
  readonly cap: number;
  readonly share: RoomShare;
  readonly signal: AbortSignal;
};

/** Returns the decompressed body. Fails with EgressError `too_large` over the cap. */
export async function unpacked(
  sent: ReceivedBytes,
  { encoding, cap, share, signal }: Unpacking,
): Promise<Buffer> {
  const decoders = createDecoders(encoding);
  if (decoders.length === 0) return sent.whole();
  const body = receivedBytes();
  const gathered = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      body.add(chunk);
      if (body.size() > cap) callback(new EgressError('too_large', `The answer is larger than ${cap} bytes`));
      else {
        const wait = share.take(chunk.length);
        if (wait === undefined) callback();
        else wait.then(() => callback());
      }
    },
  });
  await pipeline([Readable.from(sent.blocks()), ...decoders, gathered], { signal });
  return body.whole();
}

/** Some servers and proxies compress although the request asks for identity. */
function createDecoders(encoding: string): Transform[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 2) throw unreadable(encoding);
  return names.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createInflate();
    if (name === 'br') return createBrotliDecompress();
    throw unreadable(encoding);
  });
}

const unreadable = (encoding: string) =>
  new EgressError('unreachable', `The answer has an encoding nobody asked for: ${encoding.slice(0, 40)}`);
