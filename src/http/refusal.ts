/** Refusals: errors that say themselves how they are answered. */
import { STATUS_CODES } from 'node:http';

/** What every refusal knows: its status, headers and documented body. `message` is public. */
export abstract class Refusal extends Error {
  abstract readonly status: number;
  abstract readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** Field → what is wrong with it. PHP clients die of anything but arrays of strings here. */
export type ErrorDetails = Readonly<Record<string, readonly string[]>>;

/** What a refusal answers. */
export type ApiErrorAnswer = {
  readonly message: string;
  /** The short name; the status's own by default. */
  readonly error?: string;
  readonly details?: ErrorDetails;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further documented fields of the body. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
};

/** A refusal of the REST interface, in the body shape of docs/wire.md 3.1. */
export class ApiError extends Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  override readonly headers: Readonly<Record<string, string>>;

  /** `code` is for machines, the message says which rule was broken and what to do. */
  constructor(status: number, code: string, answer: string | ApiErrorAnswer) {
    const options: ApiErrorAnswer = typeof answer === 'string' ? { message: answer } : answer;
    const { message } = options;
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.status = status;
    this.headers = options.headers ?? {};
    const error = options.error ?? STATUS_CODES[status] ?? 'Error';
    const details = options.details === undefined ? {} : { details: options.details };
    this.body = { error, message, code, ...details, ...options.fields };
  }
}
