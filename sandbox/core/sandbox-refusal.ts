/** What a sandbox provider refuses, before it is put into that provider's words. */
export class SandboxRefusal extends Error {
  readonly status: number;
  /** The provider's own word for it: `fullSyncRequired`, `invalid_grant`, `ErrorItemNotFound`. */
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'SandboxRefusal';
    this.status = status;
    this.reason = reason;
    this.headers = headers;
  }
}
