/**
 * Bodies of type multipart/form-data: forms that carry a file. They are read by the parser that Node's own fetch has. That one
 * knows no limits, so they are set here: the route bounds the bytes, and the parts are counted before it reads any.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Form } from './form-body.ts';
import { ANY_CALL, ApiError } from './refusal.ts';

/** Our forms have a handful of fields. */
const MOST_PARTS = 20;

/** A form with texts, and with the bytes of the files that were chosen. */
export type UploadForm = Record<string, Form[string] | Uint8Array>;

/** Makes `app` read them as an UploadForm; for routes with a limit of their own on the body. */
export function readUploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    ({ headers }: FastifyRequest, body: Buffer) => uploadOf(body, headers['content-type'] ?? ''),
  );
}

/** Throws ApiError 400 for what is no such form. Of fields that are repeated the first counts. */
export async function uploadOf(body: Buffer, contentType: string): Promise<UploadForm> {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || partsIn(body, boundary) > MOST_PARTS) throw unreadable();
  // Without a prototype: a field may have any name.
  const form: UploadForm = Object.create(null);
  for (const [name, value] of await fieldsOf(body, contentType)) {
    if (Object.hasOwn(form, name)) continue;
    if (typeof value === 'string') form[name] = value;
    // A field in which no file was chosen is sent as an empty one.
    else if (value.size > 0) form[name] = await value.bytes();
  }
  return form;
}

/** The bytes of the file that was chosen in a field; undefined where none was. */
export function uploadedFile(body: unknown, name: string): Uint8Array | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  const value = (body as Record<string, unknown>)[name]; // any object is one
  return value instanceof Uint8Array ? value : undefined;
}

async function fieldsOf(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Counted no further than needed. */
function partsIn(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`;
  let parts = -1; // the last one only ends the form
  let at = body.indexOf(delimiter);
  while (at >= 0 && parts <= MOST_PARTS) {
    parts += 1;
    at = body.indexOf(delimiter, at + delimiter.length);
  }
  return parts;
}

const unreadable = (cause?: unknown): ApiError =>
  new ApiError(ANY_CALL.invalid_request, {
    message: 'The form could not be read: open its page again and send it from there',
    cause,
  });
