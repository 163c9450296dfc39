/** Reads an answer's body, decompressed, up to a cap on both what is sent and what it unpacks to. */
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { EgressError } from './egress-error.ts';

/** `encoding` is the value of Content-Encoding. Fails with EgressError `too_large` past `cap` bytes. */
export async function readAnswer(body: Readable, encoding: string, cap: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sentCap = capped(cap);
  const unpackedCap = capped(cap);
  const sent = new Transform({
    transform: (chunk: Buffer, _encoding, callback) => callback(sentCap(chunk), chunk),
  });
  const unpacked = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      chunks.push(chunk);
      callback(unpackedCap(chunk));
    },
  });
  await pipeline([body, sent, ...decodersOf(encoding), unpacked]);
  return Buffer.concat(chunks);
}

/** Counts chunks; answers the refusal once there were more than `cap` bytes. */
function capped(cap: number): (chunk: Buffer) => EgressError | null {
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size > cap ? new EgressError('too_large', `The answer is larger than ${cap} bytes`) : null;
  };
}

/** Some servers and proxies compress although the request asks for identity. */
function decodersOf(encoding: string): Transform[] {
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
