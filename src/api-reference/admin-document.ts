/** The OpenAPI document of the administration API, from its table of operations. */
import { Type } from 'typebox';
import { ADMINISTRATION } from '../administration/operations/administration-error.ts';
import { type AdminOperation, isInQuery } from '../administration/operations/operation.ts';
import { ADMIN_OPERATIONS, ADMIN_PREFIX } from '../administration/operations/operations.ts';
import { badBodies } from '../http/error.schema.ts';
import { text } from '../http/fields.ts';
import type { Operation } from '../http/operation.ts';
import { ANY_CALL } from '../http/refusal.ts';
import { IDEMPOTENCY, IDEMPOTENCY_KEY, RESPONSE_LOST } from '../writing/idempotency.ts';
import { resultSchema } from './admin-results.ts';
import { type OpenApiDocument, openapiDocument } from './openapi-document.ts';

const DESCRIPTION = `Creates and changes applications, their users and admin keys of Kalends. Each request has an admin key; its role and applications decide what it may do.

Names are those of the \`--json\` output of the command line. An unknown field is an error. Instants are RFC 3339 in UTC.`;

const VERSION = '1.0';

export const adminDocument = (publicUrl: string): OpenApiDocument =>
  openapiDocument({
    ...{ publicUrl, version: VERSION, operations: ADMIN_OPERATIONS.map(toReference) },
    ...{ title: 'Kalends administration', description: DESCRIPTION },
    securitySchemes: {
      adminKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer kal_adm_…' },
    },
  });

function toReference(row: AdminOperation): Operation {
  const { id, method, path, group, summary, description, pathFields, fields, status = 200 } = row;
  const hasBody = !isInQuery(row) && Object.keys(fields).length > 0;
  const hasVersion = row.version !== undefined;
  const isRequired = Object.values(fields).some((field) => field.isRequired);
  return {
    ...{ id, method, path: ADMIN_PREFIX + path, group, summary, pathFields },
    ...(description !== undefined && { description }),
    callers: ['admin-key'],
    ...(isInQuery(row) && { query: fields }),
    ...(hasBody && { body: { fields, required: isRequired } }),
    ...(row.method !== 'get' && {
      headers: { ...(hasVersion && IF_MATCH), ...(row.method === 'post' && IDEMPOTENCY_KEY) },
    }),
    answer: {
      ...{ status, description: 'The result.', schema: Type.Unsafe(resultSchema(row)) },
      ...(hasVersion && { headers: { ETag: 'The version of the application and its branding.' } }),
    },
    errors: [
      ...[ANY_CALL.invalid_request, ...(hasBody ? badBodies : [])],
      ...Object.values(ADMINISTRATION),
      ...(row.errors ?? []),
      ...(row.method === 'post' ? Object.values({ ...IDEMPOTENCY, ...RESPONSE_LOST }) : []),
      ANY_CALL.temporarily_unavailable,
    ],
  };
}

const IF_MATCH = {
  'If-Match': text({
    doc: 'The `ETag` of an earlier response: the change is refused if the application has another version.',
  }),
};
