/** Bodies of type multipart/form-data. Node's parser has no limits: the route limits bytes, this file the parts. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Form } from './form-body.ts';
import { ANY_CALL, ApiError } from './refusal.ts';

/** Our forms have a handful of fields. */
const MOST_PARTS = 20;

/** A form with the texts of its fields and the bytes of its files. */
export type UploadForm = Record<string, Form[string] | Uint8Array>;

/** Makes `app` parse these bodies as an UploadForm. For routes with their own body limit. */
export function readUploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    ({ headers }: FastifyRequest, body: Buffer) => parseUpload(body, headers['content-type'] ?? ''),
  );
}

/** Parses an upload. Throws ApiError 400 for any other body. The first of a repeated field counts. */
export async function parseUpload(body: Buffer, contentType: string): Promise<UploadForm> {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || partsIn(body, boundary) > MOST_PARTS) throw unreadable();
  // Without a prototype: a field may have any name.
  const form: UploadForm = Object.create(null);
  for (const [name, value] of await readFormData(body, contentType)) {
    if (Object.hasOwn(form, name)) continue;
    if (typeof value === 'string') form[name] = value;
    // Browsers send a field without a chosen file as an empty file.
    else if (value.size > 0) form[name] = await value.bytes();
  }
  return form;
}

/** Returns the bytes of a field's file, or `undefined` if none was chosen. */
export function uploadedFile(body: unknown, name: string): Uint8Array | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  const value = (body as Record<string, unknown>)[name]; // any object is one
  return value instanceof Uint8Array ? value : undefined;
}

async function readFormData(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Counts parts, at most one more than allowed. */
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
