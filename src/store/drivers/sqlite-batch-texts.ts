import type { BatchStatement, Supplied } from './database.ts';

/** On SQLite each caller of a batch runs its statements alone. */
const SUPPLIED: Supplied = { value: (column) => `:${column}`, from: '', andFrom: '' };

/** The texts of batches, each written once. */
export class SqliteBatchTexts {
  readonly #known = new Map<BatchStatement, readonly [string, ...string[]]>();

  /** The statement, and what follows it. */
  of(statement: BatchStatement): readonly [string, ...string[]] {
    const known = this.#known.get(statement);
    if (known !== undefined) return known;
    const { sql, followedBy = [] } = statement;
    const texts = [sql(SUPPLIED), ...followedBy.map((text) => text(SUPPLIED))] as const;
    this.#known.set(statement, texts);
    return texts;
  }
}
