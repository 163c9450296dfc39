/** The input and output of an operation, for the API reference. It is loaded when the reference is first requested. */
import { type TSchema, Type } from 'typebox';
import type { Table } from './fields.ts';
import type { ErrorDetails, ErrorRow } from './refusal.ts';

/** The callers an operation accepts. A scope means an access token with at least that scope. */
export type Caller = 'anybody' | 'application' | 'admin-key' | 'free-busy' | 'read' | 'read-write';

export type Operation = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Starts at the root of the origin, with `{name}` for variable parts. */
  readonly path: string;
  /** Unique; generated clients use this name. */
  readonly id: string;
  /** The heading of the operation in the reference. */
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  /** Any one of them suffices. */
  readonly callers: readonly Caller[];
  readonly pathFields?: Table;
  readonly query?: Table;
  readonly headers?: Table;
  readonly body?: Body;
  /** Describes the page that a browser gets at the same address in the middle of a flow. */
  readonly page?: string;
  /** The successful response; `undefined` if there is none. */
  readonly answer: Answer | undefined;
  /** Errors of one status differ by `code`. An internal error (500) is possible in every operation and not listed. */
  readonly errors: readonly OperationError[];
};

/** A request that an endpoint of an application receives. */
export type WebhookMessage = {
  /** The topic of the endpoint. */
  readonly name: string;
  /** Unique among the operations too. */
  readonly id: string;
  readonly summary: string;
  readonly schema: TSchema;
  readonly example: unknown;
};

export type Body = {
  readonly fields: Table;
  /** The name of its component in the OpenAPI document. */
  readonly name?: string;
  readonly description?: string;
  /** The fields in the example of the body. By default all that have an example. */
  readonly shows?: readonly string[];
  /** Further fields in the examples of single callers. If it is given, each caller has an example. */
  readonly showsToo?: Partial<Readonly<Record<Caller, readonly string[]>>>;
  readonly required: boolean;
  /** JSON unless given. */
  readonly types?: readonly string[];
};

export type Answer = {
  /** 200 unless given. */
  readonly status?: number;
  readonly description: string;
  /** Undefined if the response has no body. JSON. */
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

/** Returns the schema of an RFC 3339 instant in responses: UTC, three fraction digits (docs/wire.md 2). */
export const instant = (description: string) => Type.String({ format: 'date-time', description });

export const enumeration = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

/** Returns the schema of an object whose fields only its author knows. */
export const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
