/**
 * What one operation takes and answers, as a feature's `*.schema.ts` states it for the API reference. Nothing here is
 * needed to serve a request: those files are loaded when somebody asks for the reference.
 */
import { type TSchema, Type } from 'typebox';
import type { Table } from './fields.ts';

import type { ErrorDetails, ErrorRow } from './refusal.ts';

/** Who may call: anybody, an application by HTTP Basic, or a user's access token of at least one scope. */
export type Caller = 'anybody' | 'application' | 'free-busy' | 'read' | 'read-write';

export type Operation = {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** From the origin's root, with `{name}` for parts that vary. */
  readonly path: string;
  /** Unique; clients are generated under this name. */
  readonly id: string;
  /** The heading it stands under. */
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  /** Any one of them suffices. */
  readonly callers: readonly Caller[];
  /** The variable parts of the path. */
  readonly pathFields?: Table;
  readonly query?: Table;
  readonly headers?: Table;
  readonly body?: Body;
  /** What a browser finds at the same address in the middle of a flow: a page. */
  readonly page?: string;
  /** What success answers; `undefined` while there is no success to be had. */
  readonly answer: Answer | undefined;
  /** Errors of one status differ by `code`. An internal error (500) is possible in every operation and not listed. */
  readonly errors: readonly OperationError[];
};

export type Body = {
  readonly fields: Table;
  /** The name of its component in the OpenAPI document. */
  readonly name?: string;
  readonly description?: string;
  /** The fields whose examples make that of the body: all that have one, unless given. */
  readonly shows?: readonly string[];
  /** Whether there must be a body. */
  readonly required: boolean;
  /** JSON unless given. */
  readonly types?: readonly string[];
};

export type Answer = {
  /** 200 unless given. */
  readonly status?: number;
  readonly description: string;
  /** Absent where the answer has no body. JSON. */
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** Header → what it means. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An error that an operation can return: a row, or a row with what differs in this operation. */
export type OperationError = ErrorRow & {
  readonly error?: string;
  readonly details?: ErrorDetails;
  /** `oauth`: the shape of RFC 6749 §5.2. By default that of the REST interface (docs/wire.md 3.1). */
  readonly shape?: 'oauth';
};

/** An RFC 3339 instant in answers: UTC, three fraction digits (docs/wire.md 2). */
export const instant = (description: string) => Type.String({ format: 'date-time', description });

/** One of a few words. */
export const enumeration = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

/** Members nobody but their maker knows. */
export const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
