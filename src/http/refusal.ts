/** What every refusal knows: its status, headers and documented body. `message` is public. */
export abstract class Refusal extends Error {
  abstract readonly status: number;
  abstract readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>> = {};
}
