/** What a sandbox provider refuses, before it is put into that provider's form. */
export class SandboxRefusal extends Error {
  readonly status: number;
  /** The provider's own name for it: `fullSyncRequired`, `invalid_grant`, `ErrorItemNotFound`. */
  readonly reason: string;
  headers: Readonly<Record<string, string>> = {};

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = 'SandboxRefusal';
    this.status = status;
    this.reason = reason;
  }

  /** Sent beside the headers of every refusal. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    this.headers = headers;
    return this;
  }
}
