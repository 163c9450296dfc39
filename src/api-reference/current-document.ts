/** The document of this program. */
import { readFileSync } from 'node:fs';

import { type OpenApiDocument, openapiDocument } from './openapi-document.ts';
import { OPERATIONS } from './operations.ts';

/** package.json lies two folders up from here, in the repository and in the package. */
const PACKAGE = new URL('../../package.json', import.meta.url);

/** `publicUrl`: the origin that the document names as its server. */
export function currentDocument(publicUrl: string): OpenApiDocument {
  const parsed: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  if (typeof parsed !== 'object' || parsed === null || !('version' in parsed))
    throw new Error(`${PACKAGE.pathname} names no version`);
  return openapiDocument({ publicUrl, version: String(parsed.version), operations: OPERATIONS });
}
