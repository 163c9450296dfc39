/** Schemas as text: a short form of a type, and the fields of an object. */
import type { OpenApiDocument } from './openapi-document.ts';
import type { Json } from './schema-references.ts';

/** A part of a type, so that a page and Markdown can each render it in their own way. */
export type TypePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'shape'; readonly name: string };

const text = (words: string): TypePiece => ({ kind: 'text', text: words });

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the short form of a schema's type. */
export function describeType(schema: unknown): readonly TypePiece[] {
  if (!isJson(schema)) return [text('anything')];
  const { $ref, anyOf, type, items, format, minimum, maximum, maxLength } = schema;
  if (typeof $ref === 'string') return [{ kind: 'shape', name: shapeName($ref) }];
  if (Array.isArray(anyOf)) return joinTypes(anyOf.map(describeType), ' or ');
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.map((word): TypePiece[] => [{ kind: 'code', text: String(word) }]);
    return [text('one of '), ...joinTypes(values, ', ')];
  }
  if (schema.const !== undefined) return [{ kind: 'code', text: JSON.stringify(schema.const) }];
  if (type === 'array') return [text('list of '), ...describeType(items)];
  const bounds =
    minimum === undefined ? '' : ` from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
  const name = typeof type === 'string' ? type : 'anything';
  const length =
    typeof maxLength === 'number' ? ` of at most ${maxLength.toLocaleString('en')} characters` : '';
  return [text(`${name}${typeof format === 'string' ? ` (${format})` : ''}${bounds}${length}`)];
}

const joinTypes = (types: readonly (readonly TypePiece[])[], between: string): TypePiece[] =>
  types.flatMap((pieces, i) => (i > 0 ? [text(between), ...pieces] : pieces));

const shapeName = (reference: string): string => reference.split('/').at(-1) ?? '';

export type Member = {
  readonly name: string;
  readonly schema: Json;
  readonly description: string | undefined;
  readonly isRequired: boolean;
};

/** Returns the fields of an object, or of each form that it may have; none for anything else. Follows a reference. */
export function listMembers(schema: unknown, document: OpenApiDocument): Member[] {
  if (!isJson(schema)) return [];
  const { $ref, properties } = schema;
  if (typeof $ref === 'string') return listMembers(document.components.schemas[shapeName($ref)], document);
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isJson(properties) ? properties : {}).map(([name, value]) => {
    const member = isJson(value) ? value : {};
    const { description } = member;
    return {
      name,
      schema: member,
      description: typeof description === 'string' ? description : undefined,
      isRequired: required.includes(name),
    };
  });
}
