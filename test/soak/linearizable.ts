/**
 * Checks the history of a grant: is there one order of its operations that respects their times and that the model of a
 * grant allows (Herlihy and Wing, "Linearizability")? An operation without an end takes effect later or never.
 */

export type Operation = {
  readonly client: string;
  /** The grant, by the code that begins it. */
  readonly object: string;
  readonly operation: 'exchange' | 'refresh' | 'revoke' | 'read';
  /** `token`: the `jti` of the presented refresh token. `windowMs`: the replay window of the application. */
  readonly input: { readonly token?: string; readonly windowMs?: number };
  /** `token`: the `jti` of the new refresh token. Absent if the outcome is unknown. */
  readonly output?: { readonly status: number; readonly token?: string };
  /** Milliseconds of one clock; `end` is absent if the outcome is unknown. */
  readonly start: number;
  readonly end?: number;
};

/** `current` is undefined before the exchange; `?` and a number if the response with the token was lost. */
type Grant = {
  readonly current: string | undefined;
  readonly previous: string | undefined;
  /** The earliest time at which `previous` was rotated. */
  readonly rotatedFrom: number;
  readonly isRevoked: boolean;
};

const UNBEGUN: Grant = { current: undefined, previous: undefined, rotatedFrom: 0, isRevoked: false };
const isUnknown = (token: string | undefined): boolean => token?.startsWith('?') ?? false;
const SUCCESS = 200;

/** Returns the operations in an order that the model allows, or undefined if there is none. */
export function findOrder(history: readonly Operation[]): readonly Operation[] | undefined {
  const operations = history.filter(isRelevant).toSorted((a, b) => a.start - b.start);
  const visited = new Set<string>();
  const order: Operation[] = [];

  const search = (done: bigint, grant: Grant): boolean => {
    const key = `${done.toString(36)} ${grant.current} ${grant.previous} ${grant.isRevoked}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const open = [...operations.keys()].filter((place) => (done & (1n << BigInt(place))) === 0n);
    const ends = open.map((place) => operations[place]?.end ?? Number.POSITIVE_INFINITY);
    const firstEnd = Math.min(...ends);
    if (firstEnd === Number.POSITIVE_INFINITY) return true;
    for (const place of open) {
      const operation = operations[place];
      if (operation === undefined || operation.start > firstEnd) continue;
      const next =
        operation.output === undefined ? effectOf(operation, place, grant) : step(operation, grant);
      if (next === undefined) continue;
      order.push(operation);
      if (search(done | (1n << BigInt(place)), next)) return true;
      order.pop();
    }
    return false;
  };
  return search(0n, UNBEGUN) ? order : undefined;
}

/** A read without a response says nothing. */
const isRelevant = ({ operation, output }: Operation): boolean =>
  operation !== 'read' || output !== undefined;

/** Returns the grant after an operation whose output is known, or undefined if the model does not allow that output. */
function step({ operation, input, output, start, end = start }: Operation, grant: Grant): Grant | undefined {
  const isSuccess = output?.status === SUCCESS;
  const isAlive = grant.current !== undefined && !grant.isRevoked;
  switch (operation) {
    case 'exchange':
      if (!isSuccess) return grant.current === undefined ? undefined : grant;
      return grant.current === undefined ? { ...grant, current: output.token } : undefined;
    case 'revoke':
      return isSuccess ? { ...grant, isRevoked: true } : undefined;
    case 'read':
      return isSuccess === isAlive ? grant : undefined;
    case 'refresh': {
      const isCurrent = isAlive && input.token === grant.current;
      const { windowMs = 0 } = input;
      const isPrevious = isAlive && windowMs > 0 && input.token === grant.previous;
      if (!isSuccess) {
        const isOld = isPrevious && end - grant.rotatedFrom > windowMs;
        return isCurrent || (isPrevious && !isOld) ? undefined : grant;
      }
      if (isCurrent) return { ...grant, current: output.token, previous: input.token, rotatedFrom: start };
      if (!isPrevious) return undefined;
      // A replay tells the successor that a lost response had.
      if (isUnknown(grant.current)) return { ...grant, current: output.token };
      return output.token === grant.current ? grant : undefined;
    }
  }
}

/** Returns the grant after an operation without an outcome took effect, or undefined if it could not. */
function effectOf({ operation, input, start }: Operation, place: number, grant: Grant): Grant | undefined {
  const lost = `?${place}`;
  if (operation === 'exchange') return grant.current === undefined ? { ...grant, current: lost } : undefined;
  if (operation === 'revoke') return grant.isRevoked ? undefined : { ...grant, isRevoked: true };
  const isCurrent = !grant.isRevoked && input.token === grant.current;
  return isCurrent ? { ...grant, current: lost, previous: input.token, rotatedFrom: start } : undefined;
}

/** Returns the grants whose history no order explains, with their operations. */
export function findViolations(history: readonly Operation[]): Map<string, readonly Operation[]> {
  const byGrant = Map.groupBy(history, ({ object }) => object);
  return new Map([...byGrant].filter(([, operations]) => findOrder(operations) === undefined));
}
