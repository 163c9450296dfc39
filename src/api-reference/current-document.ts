/** The document of this program. */
import { type OpenApiDocument, openapiDocument } from './openapi-document.ts';
import { OPERATIONS } from './operations.ts';

/** Of the interface, not of the program: strangers read it, and are not told which program has which known faults. */
const INTERFACE_VERSION = '1.0';

/** `publicUrl`: the origin that the document names as its server. */
export function currentDocument(publicUrl: string): OpenApiDocument {
  return openapiDocument({ publicUrl, version: INTERFACE_VERSION, operations: OPERATIONS });
}
