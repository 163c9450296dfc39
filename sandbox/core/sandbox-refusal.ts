/** An error of a sandbox provider, before it gets that provider's form. */
export class SandboxRefusal extends Error {
  readonly status: number;
  /** The provider's own name for the error: `fullSyncRequired`, `invalid_grant`, `ErrorItemNotFound`. */
  readonly reason: string;
  headers: Readonly<Record<string, string>> = {};

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = 'SandboxRefusal';
    this.status = status;
    this.reason = reason;
  }

  /** Adds headers to those of every error. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    this.headers = headers;
    return this;
  }
}
