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
  /** With the names of the objects that contain it, such as `attendees[].email`. */
  readonly name: string;
  readonly schema: Json;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** The fields of its object; none on the last level, and in a shape that contains itself. */
  readonly members: readonly Member[];
};

const MOST_LEVELS = 4;

type Position = {
  readonly prefix: string;
  readonly level: number;
  /** The names of the shapes around it. */
  readonly shapes: readonly string[];
};

/**
 * Returns the fields of an object, of the objects in a list, or of each form that a value may have; none for anything
 * else. Follows references, but not to the `shapes`, which readers find under their name.
 */
export function listMembers(
  schema: unknown,
  document: OpenApiDocument,
  position: Partial<Position> = {},
): Member[] {
  const { prefix = '', level = 1, shapes = [] } = position;
  if (!isJson(schema) || level > MOST_LEVELS) return [];
  const { $ref, anyOf, items, properties } = schema;
  if (typeof $ref === 'string') {
    const name = shapeName($ref);
    if (shapes.includes(name)) return [];
    const target = document.components.schemas[name];
    return listMembers(target, document, { prefix, level, shapes: [...shapes, name] });
  }
  if (Array.isArray(anyOf)) {
    const members = anyOf.flatMap((form) => listMembers(form, document, position));
    return [...new Map(members.map((member) => [member.name, member])).values()];
  }
  if (items !== undefined) return listMembers(items, document, { ...position, prefix: `${prefix}[]` });
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isJson(properties) ? properties : {}).map(([name, value]) => {
    const member = isJson(value) ? value : {};
    const { description } = member;
    const fullName = prefix === '' ? name : `${prefix}.${name}`;
    return {
      name: fullName,
      schema: member,
      description: typeof description === 'string' ? description : undefined,
      isRequired: required.includes(name),
      members: listMembers(member, document, { prefix: fullName, level: level + 1, shapes }),
    };
  });
}
