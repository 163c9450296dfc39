import type { BatchStatement, Supplied } from './database.ts';

/** On SQLite each caller of a batch runs its statements alone. */
const SUPPLIED: Supplied = {
  value: (column) => `:${column}`,
  from: '',
  andFrom: '',
  fromEach: (query, name) => `FROM (${query}) AS ${name}`,
};

/** In their order, and the one that answers. */
type BatchTexts = { readonly all: readonly string[]; readonly answering: string };

/** The texts of batches, each written once. */
export class SqliteBatchTexts {
  readonly #known = new Map<BatchStatement, BatchTexts>();

  of(statement: BatchStatement): BatchTexts {
    const known = this.#known.get(statement);
    if (known !== undefined) return known;
    const { sql, precededBy = [], followedBy = [] } = statement;
    const answering = sql(SUPPLIED);
    const all = [...precededBy, sql, ...followedBy].map((text) => text(SUPPLIED));
    const texts = { all, answering };
    this.#known.set(statement, texts);
    return texts;
  }
}
