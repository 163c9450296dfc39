/**
 * What one operation takes and answers, as a feature's `*.schema.ts` states it for the API reference. Nothing here is
 * needed to serve a request: those files are loaded when somebody asks for the reference.
 */
import { type TSchema, Type } from 'typebox';

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
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  /** What a browser finds at the same address in the middle of a flow: a page. */
  readonly page?: string;
  /** What success answers; `undefined` while there is no success to be had. */
  readonly answer: Answer | undefined;
  /** Several of one status are told apart by `code`. A fault (500) is every operation's and not named here. */
  readonly refusals: readonly RefusalCase[];
};

export type Parameter = {
  readonly in: 'query' | 'path' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** False unless said. */
  readonly required?: boolean;
  readonly example: string | number | boolean;
};

export type Body = {
  readonly schema: TSchema;
  readonly example: unknown;
  readonly required: boolean;
  /** JSON unless said. */
  readonly types?: readonly string[];
};

export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Absent where the answer has no body. JSON. */
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** Header → what it means. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** One way to be refused, with the body as it is sent. */
export type RefusalCase = {
  readonly status: number;
  readonly code: string;
  readonly when: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** `oauth`: the shape of RFC 6749 §5.2. By default that of the REST interface (docs/wire.md 3.1). */
  readonly shape?: 'oauth';
  readonly headers?: Readonly<Record<string, string>>;
};

/** An RFC 3339 instant in answers: UTC, three fraction digits (docs/wire.md 2). */
export const instant = (description: string) => Type.String({ format: 'date-time', description });

/** One of a few words. */
export const oneOf = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

/** Members nobody but their maker knows. */
export const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** A parameter of the query; text, unless another `schema` takes the place of its own. */
export const query = (name: string, description: string, example: Parameter['example']): Parameter => ({
  in: 'query',
  name,
  description,
  example,
  schema: Type.String(),
});

/** The same parameter where the operation cannot do without it. */
export const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true });
