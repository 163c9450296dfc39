/** The output of operations in the terminal. For a command with `--server`, the server renders it. */
import type {
  AdministrationDeps,
  AdminOperation,
  Operation,
} from '../administration/operations/operation.ts';
import type { Input, Members, Table } from '../http/fields.ts';

/** Text, or a table that starts with its head; `none` replaces a table without further rows. */
export type Output =
  | { readonly text: string; readonly exitCode?: number }
  | { readonly table: readonly (readonly string[])[]; readonly none: string };

/** The output with the document of `--json`. */
export type OperationOutput = Output & { readonly json: Members };

/** `input` has the fields of the request. `deps` are those of the machine that ran the operation. */
export type Completed<I> = { readonly input: I; readonly deps: AdministrationDeps };

type Row<Path extends Table, Fields extends Table, Result> = {
  readonly operation: Operation<Path, Fields, Result>;
  /** Renders a result, which already has only what its actor may read. */
  render(result: Result, completed: Completed<Input<Path> & Input<Fields>>): Output | Promise<Output>;
};

export type Rendering = Row<Table, Table, unknown>;

/** Returns the row, whose types follow from the operation. */
export const rendering = <Path extends Table, Fields extends Table, Result>(
  row: Row<Path, Fields, Result>,
): Row<Path, Fields, Result> => row;

/** Runs operations on the local database or at a server. Both throw ApiError and CommandError. */
export type Operations = {
  run(rendering: Rendering, fields: Members): Promise<OperationOutput>;
  /** Runs an operation and returns its document. */
  read(operation: AdminOperation, fields: Members): Promise<Members>;
  /** Runs an operation whose document can have any size, and returns the document in pieces. */
  stream(operation: AdminOperation, fields: Members): Promise<AsyncIterable<string>>;
};
