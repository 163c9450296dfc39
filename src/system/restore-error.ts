/** A backup that cannot be restored, or not now; the message says what to do. Nothing was changed. */
export class RestoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RestoreError';
  }
}
